// Sorting, the list of cases, and one case; data come from the page itself.
"use strict";

const DATA = JSON.parse(document.getElementById("page-data").textContent);
const BLOCKS = new Map();
const $ = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// ---- tables that sort -------------------------------------------------------
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button")?.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") !== "descending";
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    for (const body of table.tBodies) {
      const key = (row) => row.cells[column]?.dataset.value ?? row.cells[column]?.textContent.trim() ?? "";
      const rows = [...body.rows].filter((row) => !row.classList.contains("gap"));
      rows.sort((a, b) => compare(key(a), key(b), down));
      body.append(...rows);
    }
  }));
}

function compare(a, b, down) {
  const x = parseFloat(a), y = parseFloat(b);
  if (Number.isNaN(x) && Number.isNaN(y)) return down ? b.localeCompare(a) : a.localeCompare(b);
  if (Number.isNaN(x)) return 1;
  if (Number.isNaN(y)) return -1;
  return down ? y - x : x - y;
}

const paperSwitch = $("show-paper");
paperSwitch?.addEventListener("change", () => {
  for (const row of document.querySelectorAll("#leaderboard tr.paper, #leaderboard tr.gap")) row.hidden = !paperSwitch.checked;
});

// ---- the list of cases ------------------------------------------------------
const FILTERS = ["task", "agent", "outcome"], PAGE = 200;
let shown = PAGE, current = null, beside = "", order = null;

function caseKey(row) { return `${row.run}/${row.id}`; }

function tone(row) { return { right: "good", partly: "part" }[row.outcome] ?? "bad"; }

function address(row) { return `#case=${encodeURIComponent(caseKey(row))}`; }

function scoreWanted(score, choice) {
  if (!choice) return true;
  if (choice === "none") return score === null;
  const [low, high] = choice.split(" ").map(Number);
  return score !== null && score >= low && score < high;
}

function wanted(row) {
  for (const name of FILTERS) {
    const value = $(`filter-${name}`).value;
    if (value && String(row[name]) !== value) return false;
  }
  if (!scoreWanted(row.score, $("filter-score").value)) return false;
  const text = $("filter-text").value.trim().toLowerCase();
  return !text || `${row.id} ${row.task} ${row.agent} ${row.reference} ${row.answer} ${row.ended}`.toLowerCase().includes(text);
}

function listed() {
  const rows = DATA.cases.filter(wanted);
  if (order) rows.sort((a, b) => compare(String(a[order.key] ?? ""), String(b[order.key] ?? ""), order.down));
  return rows;
}

function drawList() {
  const rows = listed();
  $("case-rows").replaceChildren(...rows.slice(0, shown).map((row) => {
    const line = element("tr", { "data-key": caseKey(row) },
      element("td", {}, element("a", { href: address(row) }, row.id)), element("td", {}, row.agent),
      element("td", { class: tone(row) }, row.outcome),
      element("td", { class: "number" }, row.score === null ? "-" : row.score.toFixed(3)),
      element("td", { class: "number" }, String(row.calls)));
    if (current && caseKey(row) === caseKey(current)) line.setAttribute("aria-selected", "true");
    return line;
  }));
  $("case-count").textContent = `${rows.length} of ${DATA.cases.length} cases`;
  $("case-more").hidden = rows.length <= shown;
}

for (const name of [...FILTERS, "score", "text"])
  $(`filter-${name}`)?.addEventListener("input", () => { shown = PAGE; drawList(); });
$("case-more")?.addEventListener("click", () => { shown += PAGE; drawList(); });

const caseHeads = [...document.querySelectorAll("#case-table th")];
for (const head of caseHeads) head.querySelector("button").addEventListener("click", () => {
  const down = head.getAttribute("aria-sort") === "ascending";
  caseHeads.forEach((each) => each.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  order = { key: head.querySelector("button").dataset.key, down };
  drawList();
});

// ---- one case ---------------------------------------------------------------
async function unpack(number) {
  if (!BLOCKS.has(number)) {
    const packed = atob($(`block-${number}`).textContent.trim());
    const bytes = Uint8Array.from(packed, (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    BLOCKS.set(number, JSON.parse(await new Response(stream).text()));
  }
  return BLOCKS.get(number);
}

function textBlock(text, kind = "pre") {
  return element(kind === "pre" ? "pre" : "div", { class: kind, dir: "auto", tabindex: "0" }, text);
}

function folded(summary, content, open = false) {
  return element("details", open ? { open: "" } : {}, element("summary", {}, summary), content);
}

function facts(pairs) {
  const list = element("dl", { class: "facts small" });
  for (const [name, value] of pairs) {
    if (value === null || value === undefined || value === "") continue;
    list.append(element("dt", {}, name), element("dd", { dir: "auto" }, String(value)));
  }
  return list;
}

function turnNode(turn, number) {
  const node = element("div", { class: turn.error ? "turn error" : "turn" });
  node.append(element("h4", {}, `Turn ${number}`));
  if (turn.note) node.append(element("p", { class: "note" }, turn.note));
  if (turn.thought) node.append(textBlock(turn.thought, "text"));
  if (!turn.note && !turn.thought && !turn.calls?.length) node.append(element("p", { class: "note" }, "The answer, without other text."));
  for (const call of turn.calls ?? []) {
    node.append(element("div", { class: call.error ? "bad" : "" },
      element("strong", {}, call.name), call.error ? " refused" : ""));
    node.append(textBlock(call.arguments));
    node.append(folded(call.summary, textBlock(call.answer)));
  }
  return node;
}

// drawn when it is in the page, for the width that it has there
function pictureBox(picture) {
  const box = element("div", { class: "picture-box" });
  box.append(PICTURES[picture.kind](picture, 600));
  box.draw = () => {
    const width = Math.round(Math.max(300, Math.min(900, box.clientWidth)));
    if (box.drawn === width) return;
    box.drawn = width;
    box.replaceChildren(PICTURES[picture.kind](picture, width));
  };
  return box;
}

function verdict(row) {
  const score = row.score === null ? "" : ` ${row.score.toFixed(3)}`;
  const kind = tone(row), size = (text) => text.length > 36 ? " long" : "";
  return element("div", { class: "verdict" },
    element("div", {}, element("small", {}, "outcome"), element("b", { class: kind }, `${row.outcome}${score}`)),
    element("div", {}, element("small", {}, "reference"), element("b", { class: size(row.reference), dir: "auto" }, row.reference)),
    element("div", {}, element("small", {}, "answer"), element("b", { class: kind + size(row.answer), dir: "auto" }, row.answer)));
}

function caseNode(row, detail) {
  const node = element("div", { class: "case" });
  node.append(element("h3", {}, `${row.id} \u00b7 ${row.agent}`));
  node.append(element("p", { class: "note" }, `${row.task} ${DATA.tasks[row.task] ?? ""}`), verdict(row));
  if (detail.picture) {
    const told = (detail.picture.told ?? []).filter(Boolean);
    if (told.length) node.append(element("ul", { class: "told" }, ...told.map((each) => element("li", {}, each))));
    const box = pictureBox(detail.picture);
    node.append(box, pictureKey(detail.picture, box));
  }
  node.append(facts([["error", detail.error], ["scores", detail.scores], ["ended", row.ended], ["episode", detail.counts],
    ["tokens", detail.tokens], ["time", detail.seconds], ["id shown", detail.record_id]]));
  if (detail.final) node.append(element("h4", {}, "Final answer"), textBlock(detail.final));
  if (detail.prompt) node.append(folded("Prompt", textBlock(detail.prompt), !detail.picture));
  (detail.turns ?? []).forEach((turn, index) => node.append(turnNode(turn, index + 1)));
  if (!detail.turns?.length) node.append(element("p", { class: "note" }, "No transcript was kept for this case."));
  return node;
}

async function drawCase() {
  const key = decodeURIComponent((location.hash.match(/^#case=(.+)$/) ?? [])[1] ?? "");
  const row = DATA.cases.find((each) => caseKey(each) === key);
  if (!row) return;
  current = row;
  const panel = $("case-detail");
  const others = DATA.cases.filter((each) => each.id === row.id && each.run !== row.run);
  const other = others.find((each) => String(each.run) === beside);
  const pair = element("div", { class: "pair" }, caseNode(row, (await unpack(row.block))[row.place]));
  if (other) pair.append(caseNode(other, (await unpack(other.block))[other.place]));
  if (current !== row) return; // another case was asked for meanwhile
  $("workbench").classList.toggle("paired", Boolean(other));
  panel.replaceChildren(controls(row, others, other), pair);
  drawPictures();
  for (const line of $("case-rows").rows)
    if (line.dataset.key === key) line.setAttribute("aria-selected", "true");
    else line.removeAttribute("aria-selected");
  document.querySelector("#case-rows tr[aria-selected]")?.scrollIntoView({ block: "nearest" });
  $("cases").scrollIntoView();
  if (matchMedia("(max-width: 820px)").matches || other) panel.scrollIntoView();
  panel.focus({ preventScroll: true });
}

function drawPictures() {
  for (const box of document.querySelectorAll(".picture-box")) box.draw?.();
}

function controls(row, others, other) {
  const rows = listed(), place = rows.findIndex((each) => caseKey(each) === caseKey(row));
  const bar = element("div", { class: "filters controls" });
  for (const [words, next] of [["previous", rows[place - 1]], ["next", rows[place + 1]]])
    if (place >= 0 && next) bar.append(element("a", { class: "plain", href: address(next) }, words));
  if (!others.length) return bar;
  const select = element("select", { id: "beside" }, element("option", { value: "" }, "nobody"));
  for (const each of others) {
    const option = element("option", { value: String(each.run) }, each.agent);
    if (each === other) option.selected = true;
    select.append(option);
  }
  select.addEventListener("input", async () => { beside = select.value; await drawCase(); $("beside")?.focus({ preventScroll: true }); });
  bar.append(element("label", { class: "inline" }, "compare with ", select));
  return bar;
}

if ($("case-rows")) {
  drawList();
  addEventListener("hashchange", drawCase);
  addEventListener("resize", () => requestAnimationFrame(drawPictures));
  drawCase();
}
