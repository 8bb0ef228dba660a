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
let shown = PAGE, current = null, beside = "";

function caseKey(row) { return `${row.run}/${row.id}`; }

function wanted(row) {
  for (const name of FILTERS) {
    const value = $(`filter-${name}`).value;
    if (value && String(row[name]) !== value) return false;
  }
  const text = $("filter-text").value.trim().toLowerCase();
  return !text || `${row.id} ${row.task} ${row.agent} ${row.reference} ${row.answer} ${row.ended}`.toLowerCase().includes(text);
}

function compareCases(order) {
  if (order === "score") return (a, b) => (a.score ?? -1) - (b.score ?? -1);
  if (order === "calls") return (a, b) => b.calls - a.calls;
  return () => 0;
}

function drawList() {
  const rows = DATA.cases.filter(wanted);
  const order = $("filter-order").value;
  if (order) rows.sort(compareCases(order));
  const body = $("case-rows");
  body.replaceChildren(...rows.slice(0, shown).map((row) => {
    const link = element("a", { href: `#case=${encodeURIComponent(caseKey(row))}` }, row.id);
    const line = element("tr", { "data-key": caseKey(row) },
      element("td", {}, link), element("td", {}, row.agent),
      element("td", { class: row.outcome === "right" ? "good" : "bad" }, row.outcome),
      element("td", { class: "number" }, row.score === null ? "-" : row.score.toFixed(3)),
      element("td", { class: "number" }, String(row.calls)));
    if (current && caseKey(row) === caseKey(current)) line.setAttribute("aria-selected", "true");
    return line;
  }));
  $("case-count").textContent = `${rows.length} of ${DATA.cases.length} cases`;
  $("case-more").hidden = rows.length <= shown;
}

for (const name of [...FILTERS, "text", "order"])
  $(`filter-${name}`)?.addEventListener("input", () => { shown = PAGE; drawList(); });
$("case-more")?.addEventListener("click", () => { shown += PAGE; drawList(); });

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

function folded(summary, content) {
  return element("details", {}, element("summary", {}, summary), content);
}

function facts(pairs) {
  const list = element("dl", { class: "facts" });
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
  for (const call of turn.calls ?? []) {
    node.append(element("div", { class: call.error ? "bad" : "" },
      element("strong", {}, call.name), call.error ? " refused" : ""));
    node.append(textBlock(call.arguments));
    node.append(folded(call.summary, textBlock(call.answer)));
  }
  return node;
}

function caseNode(row, detail) {
  const node = element("div");
  node.append(element("h3", {}, `${row.id} \u00b7 ${row.agent}`));
  node.append(facts([
    ["task", `${row.task} ${DATA.tasks[row.task] ?? ""}`],
    ["outcome", `${row.outcome}${row.score === null ? "" : `, score ${row.score.toFixed(3)}`}`],
    ["reference", row.reference], ["answer", row.answer], ["ended", row.ended], ["error", detail.error],
    ["scores", detail.scores], ["turns, calls, repairs", detail.counts],
    ["time", detail.seconds], ["recording id shown", detail.record_id]]));
  if (detail.picture) {
    node.append(element("div", { class: "picture-box", tabindex: "0", role: "region", "aria-label": `Picture: ${row.agent}` },
      PICTURES[detail.picture.kind](detail.picture)));
    if (detail.picture.note) node.append(element("p", { class: "note" }, detail.picture.note));
  }
  if (detail.final) node.append(element("h4", {}, "Final answer"), textBlock(detail.final));
  if (detail.prompt) node.append(folded("Prompt", textBlock(detail.prompt)));
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
  panel.replaceChildren(chooser(others, other), pair);
  $("workbench").classList.toggle("paired", Boolean(other));
  panel.setAttribute("aria-busy", "false");
  for (const line of $("case-rows").rows)
    line.toggleAttribute("aria-selected", false);
  const line = [...$("case-rows").rows].find((each) => each.dataset.key === key);
  line?.setAttribute("aria-selected", "true");
  line?.scrollIntoView({ block: "nearest" });
  $("cases").scrollIntoView();
  if (matchMedia("(max-width: 820px)").matches) panel.scrollIntoView();
  panel.focus({ preventScroll: true });
}

function chooser(others, other) {
  if (!others.length) return "";
  const select = element("select", { id: "beside" }, element("option", { value: "" }, "nobody"));
  for (const each of others) {
    const option = element("option", { value: String(each.run) }, each.agent);
    if (each === other) option.selected = true;
    select.append(option);
  }
  select.addEventListener("input", () => { beside = select.value; drawCase(); });
  return element("div", { class: "filters" }, element("label", {}, "beside it", select));
}

if ($("case-rows")) {
  drawList();
  addEventListener("hashchange", drawCase);
  drawCase();
}
