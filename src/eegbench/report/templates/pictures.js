// Pictures of one case, drawn as SVG nodes: hypnogram, timeline, measurements.
// Each is drawn for the width that it gets, so that letters keep their size.
// Nothing here ever parses text as HTML.

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function drawing(width, height, label) {
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "picture", role: "img", "aria-label": label });
}

function clock(seconds) {
  const whole = Math.round(seconds), hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60, rest = whole % 60;
  const two = (value) => String(value).padStart(2, "0");
  return `${hours}:${two(minutes)}:${two(rest)}`;
}

// places on the time axis of a picture
function scale(width, duration) {
  const left = 68, right = width - 22;
  return { left, right, duration, at: (seconds) => left + ((right - left) * seconds) / duration };
}

function timeAxis(picture, x, top, bottom) {
  const steps = [5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400];
  const most = Math.max(2, Math.floor((x.right - x.left) / 62));
  const step = steps.find((each) => x.duration / each <= most) ?? 21600;
  for (let at = 0; at <= x.duration; at += step) {
    picture.prepend(shape("line", { x1: x.at(at), x2: x.at(at), y1: top, y2: bottom, class: "grid" }));
    picture.append(shape("text", { x: x.at(at), y: bottom + 14, "text-anchor": "middle", class: "label" }, clock(at)));
  }
  picture.append(shape("text", { x: (x.left + x.right) / 2, y: bottom + 30, "text-anchor": "middle", class: "label" },
    "time in the recording (h:mm:ss)"));
}

function spans(picture, x, list, y, height, kind, words) {
  for (const [start, stop] of list ?? []) {
    const width = Math.max(1.5, x.at(stop) - x.at(start));
    const node = shape("rect", { x: x.at(start), y, width, height, class: kind });
    if (words) node.append(shape("title", {}, `${words} ${clock(start)} to ${clock(stop)}`));
    picture.append(node);
  }
}

// the name of a lane; one that holds nothing says so
function laneName(picture, y, text, list) {
  picture.append(shape("text", { x: 60, y, "text-anchor": "end", class: "label" }, text));
  if (!list?.length) picture.append(shape("text", { x: 72, y, class: "label" }, "none"));
}

const LEVELS = ["W", "REM", "N1", "N2", "N3"];

function steps(runs, x, top, gap, epochSec) {
  let path = "";
  for (const [first, last, stage] of runs) {
    const level = LEVELS.indexOf(stage);
    if (level < 0) { path += " "; continue; }
    const y = top + level * gap, at = (epoch) => x.at(epoch * epochSec).toFixed(1);
    path += `${path === "" || path.endsWith(" ") ? "M" : "L"}${at(first)} ${y}L${at(last + 1)} ${y}`;
  }
  return path;
}

function hypnogram(data, width) {
  const gap = 15, picture = drawing(width, 286, "reference hypnogram above the predicted one");
  const x = scale(width, data.duration_sec);
  spans(picture, x, data.wrong, 10, 182, "differs", "");
  const lanes = [["reference", data.reference, 20, "ref"], ["predicted", data.predicted, 120, "pred"]];
  for (const [name, runs, top, kind] of lanes) {
    LEVELS.forEach((stage, level) => {
      const y = top + level * gap;
      picture.append(shape("line", { x1: x.left, x2: x.right, y1: y, y2: y, class: "grid" }));
      picture.append(shape("text", { x: 60, y: y + 4, "text-anchor": "end" }, stage));
    });
    picture.append(shape("text", { x: 14, y: top + 30, class: "label", transform: `rotate(-90 14 ${top + 30})`,
      "text-anchor": "middle" }, name));
    picture.append(shape("path", { d: steps(runs, x, top, gap, data.epoch_sec), class: kind }));
  }
  laneName(picture, 212, "differs", data.wrong);
  spans(picture, x, data.wrong, 203, 11, "wrong", "differs");
  laneName(picture, 232, "looked at", data.looked);
  spans(picture, x, data.looked, 223, 11, "looked", "looked at");
  timeAxis(picture, x, 10, 242);
  return picture;
}

function timeline(data, width) {
  const picture = drawing(width, 158, "reference seizures above predicted ones");
  const x = scale(width, data.duration_sec);
  laneName(picture, 27, "reference", data.reference);
  spans(picture, x, data.windows, 10, 26, "window", "tolerance window");
  for (const [start, stop, found] of data.reference)
    spans(picture, x, [[start, stop]], 14, 18, found ? "event" : "missed", found ? "seizure, found" : "seizure, missed");
  laneName(picture, 61, "predicted", data.predicted);
  for (const [start, stop, hit] of data.predicted)
    spans(picture, x, [[start, stop]], 48, 18, hit ? "hit" : "alarm", hit ? "hit" : "false alarm");
  laneName(picture, 93, "looked at", data.looked);
  spans(picture, x, data.looked, 84, 11, "looked", "looked at");
  timeAxis(picture, x, 10, 112);
  return picture;
}

function short(value) {
  return Math.abs(value) >= 1000 || value === 0 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function measurements(data, width) {
  const line = 19, item = (each) => 18 + each.groups.length * line + 26;
  const picture = drawing(width, data.items.reduce((sum, each) => sum + item(each), 4),
    "what was measured, against the distribution of each class");
  const left = 96, right = width - 14;
  let y = 14;
  for (const each of data.items) {
    const all = each.groups.flatMap((group) => group.quantiles).concat([each.value]);
    const low = Math.min(...all), span = Math.max(...all) - low || 1;
    const at = (value) => left + ((right - left) * (value - low)) / span;
    const title = shape("text", { x: 4, y }, `${each.name}: `);
    title.append(shape("tspan", { class: "value" }, each.text));
    picture.append(title);
    y += 6;
    const bottom = y + each.groups.length * line;
    for (const group of each.groups) {
      const [p10, p25, p50, p75, p90] = group.quantiles, middle = y + line / 2;
      const role = group.name === data.is ? "is" : group.name === data.said ? "said" : "";
      picture.append(shape("text", { x: left - 8, y: middle + 4, "text-anchor": "end", class: role || "label" }, group.name));
      const kind = role ? ` ${role}` : "";
      picture.append(shape("line", { x1: at(p10), x2: at(p90), y1: middle, y2: middle, class: `reach${kind}` }));
      const box = shape("rect", { x: at(p25), y: middle - 6, width: Math.max(1, at(p75) - at(p25)), height: 12, class: `box${kind}` });
      box.append(shape("title", {}, `${group.name}, n ${group.n}: ${group.quantiles.map(short).join(", ")}`));
      picture.append(box, shape("line", { x1: at(p50), x2: at(p50), y1: middle - 6, y2: middle + 6, class: "median" }));
      y += line;
    }
    picture.append(shape("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "axis" }));
    for (const [value, anchor] of [[low, "start"], [low + span / 2, "middle"], [low + span, "end"]])
      picture.append(shape("text", { x: at(value), y: bottom + 13, "text-anchor": anchor, class: "label" }, short(value)));
    picture.append(shape("line", { x1: at(each.value), x2: at(each.value), y1: bottom - each.groups.length * line, y2: bottom + 3, class: "here" }));
    y = bottom + 38;
  }
  return picture;
}

const PICTURES = { hypnogram, timeline, measurements };

// what the marks of a picture mean: [class, words]
const KEYS = {
  hypnogram: [["wrong", "differs from the reference"], ["looked", "looked at"]],
  timeline: [["event", "seizure, found"], ["missed", "seizure, missed"], ["window", "tolerance: 30 s before, 60 s after"],
    ["hit", "hit"], ["alarm", "false alarm"], ["looked", "looked at"]],
  measurements: [["here", "this recording (mean of its channels)"], ["box is", "class of the reference"], ["box said", "class of the answer"],
    ["box", "another class; boxes and lines: 10, 25, 50, 75, 90 % of all recordings of a class"]],
};

function pictureKey(picture, drawn) {
  const line = document.createElement("p");
  line.className = "legend";
  for (const [mark, words] of KEYS[picture.kind]) {
    if (!drawn.querySelector(mark === "box" ? ".box:not(.is, .said)" : `.${mark.replace(" ", ".")}`)) continue;
    const item = document.createElement("span"), sample = shape("svg", { class: "key picture-key", viewBox: "0 0 14 14", "aria-hidden": "true" });
    sample.append(mark === "here" ? shape("line", { x1: 7, x2: 7, y1: 0, y2: 14, class: mark })
      : shape("rect", { x: 1, y: 2, width: 12, height: 10, class: mark }));
    item.append(sample, words);
    line.append(item);
  }
  return line;
}
