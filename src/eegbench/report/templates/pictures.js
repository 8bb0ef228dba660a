// Pictures of one case, drawn as SVG nodes: hypnogram, timeline, measurements.
// Nothing here ever parses text as HTML.

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function drawing(height, label) {
  return shape("svg", { viewBox: `0 0 760 ${height}`, class: "picture", role: "img", "aria-label": label });
}

const LEFT = 92, RIGHT = 730;

function clock(seconds) {
  const whole = Math.round(seconds), hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60, rest = whole % 60;
  const two = (value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function timeAxis(picture, top, bottom, duration) {
  const steps = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 14400];
  const step = steps.find((each) => duration / each <= 8) ?? 21600;
  for (let at = 0; at <= duration; at += step) {
    const x = LEFT + ((RIGHT - LEFT) * at) / duration;
    picture.append(shape("line", { x1: x, x2: x, y1: top, y2: bottom, class: "grid" }));
    picture.append(shape("text", { x, y: bottom + 14, "text-anchor": "middle", class: "label" }, clock(at)));
  }
  picture.append(shape("text", { x: (LEFT + RIGHT) / 2, y: bottom + 29, "text-anchor": "middle", class: "label" },
    "time from the start of the recording (h:mm:ss or m:ss)"));
}

function spans(picture, list, duration, y, height, kind, words) {
  for (const [start, stop] of list ?? []) {
    const x = LEFT + ((RIGHT - LEFT) * start) / duration;
    const width = Math.max(1.2, ((RIGHT - LEFT) * (stop - start)) / duration);
    const node = shape("rect", { x, y, width, height, class: kind });
    node.append(shape("title", {}, `${words} ${clock(start)} to ${clock(stop)}`));
    picture.append(node);
  }
}

function laneName(picture, y, text) {
  picture.append(shape("text", { x: LEFT - 8, y, "text-anchor": "end", class: "label" }, text));
}

const LEVELS = ["W", "REM", "N1", "N2", "N3"];

function steps(runs, top, gap, epochSec, duration) {
  let path = "";
  for (const [first, last, stage] of runs) {
    const level = LEVELS.indexOf(stage);
    if (level < 0) { path += " "; continue; }
    const y = top + level * gap;
    const at = (epoch) => (LEFT + ((RIGHT - LEFT) * epoch * epochSec) / duration).toFixed(1);
    path += `${path === "" || path.endsWith(" ") ? "M" : "L"}${at(first)} ${y}L${at(last + 1)} ${y}`;
  }
  return path;
}

function hypnogram(data) {
  const gap = 15, picture = drawing(282, "reference hypnogram above the predicted one");
  const lanes = [["reference", data.reference, 14, "ref"], ["predicted", data.predicted, 106, "pred"]];
  for (const [name, runs, top, kind] of lanes) {
    LEVELS.forEach((stage, level) => {
      const y = top + level * gap;
      picture.append(shape("line", { x1: LEFT, x2: RIGHT, y1: y, y2: y, class: "grid" }));
      picture.append(shape("text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }, stage));
    });
    picture.append(shape("text", { x: 12, y: top + 34, class: "label", transform: `rotate(-90 12 ${top + 34})`,
      "text-anchor": "middle" }, name));
    picture.append(shape("path", { d: steps(runs, top, gap, data.epoch_sec, data.duration_sec), class: kind }));
  }
  laneName(picture, 202, "differs");
  spans(picture, data.wrong, data.duration_sec, 192, 12, "wrong", "differs");
  laneName(picture, 222, "looked at");
  spans(picture, data.looked, data.duration_sec, 212, 12, "looked", "looked at");
  timeAxis(picture, 10, 232, data.duration_sec);
  return picture;
}

function timeline(data) {
  const picture = drawing(168, "reference seizures above predicted ones");
  laneName(picture, 32, "reference");
  spans(picture, data.windows, data.duration_sec, 16, 24, "window", "tolerance window");
  spans(picture, data.reference, data.duration_sec, 19, 18, "event", "seizure");
  laneName(picture, 70, "predicted");
  for (const [start, stop, hit] of data.predicted)
    spans(picture, [[start, stop]], data.duration_sec, 57, 18, hit ? "hit" : "alarm", hit ? "hit" : "false alarm");
  laneName(picture, 106, "looked at");
  spans(picture, data.looked, data.duration_sec, 96, 12, "looked", "looked at");
  timeAxis(picture, 10, 118, data.duration_sec);
  return picture;
}

function short(value) {
  return Math.abs(value) >= 1000 || value === 0 ? value.toFixed(0) : value.toPrecision(3);
}

function measurements(data) {
  const height = 22, top = 24, rows = [];
  for (const item of data.items) for (const group of item.groups) rows.push([item, group]);
  const picture = drawing(top + rows.length * height + data.items.length * 20 + 10,
    "what was measured, against the distribution of each class");
  let y = top;
  for (const item of data.items) {
    const all = item.groups.flatMap((group) => group.quantiles).concat([item.value]);
    const low = Math.min(...all), high = Math.max(...all), span = high - low || 1;
    const at = (value) => 200 + (540 * (value - low)) / span;
    picture.append(shape("text", { x: 8, y: y - 4 }, `${item.name} = ${item.text}`));
    for (const [value, anchor] of [[low, "start"], [high, "end"]])
      picture.append(shape("text", { x: at(value), y: y - 4, "text-anchor": anchor, class: "label" }, short(value)));
    for (const group of item.groups) {
      const [p10, p25, p50, p75, p90] = group.quantiles, middle = y + height / 2;
      picture.append(shape("text", { x: 190, y: middle + 4, "text-anchor": "end", class: "label" },
        `${group.name} (n ${group.n})`));
      picture.append(shape("line", { x1: at(p10), x2: at(p90), y1: middle, y2: middle, class: "axis" }));
      picture.append(shape("rect", { x: at(p25), y: middle - 6, width: Math.max(1, at(p75) - at(p25)), height: 12, class: "box" }));
      picture.append(shape("line", { x1: at(p50), x2: at(p50), y1: middle - 6, y2: middle + 6, class: "median" }));
      picture.append(shape("rect", { x: at(item.value) - 1.5, y: y + 1, width: 3, height: height - 2, class: "here" }));
      y += height;
    }
    y += 20;
  }
  return picture;
}

const PICTURES = { hypnogram, timeline, measurements };
