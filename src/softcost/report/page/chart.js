// The chart: error to the right, cost upwards, one dot per candidate.
const chart = { x: null, y: null, points: [], drag: false };
const SHAPES = {
  dot: "M-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0z",
  front: "M-5.6 0a5.6 5.6 0 1 0 11.2 0a5.6 5.6 0 1 0 -11.2 0z",
  hard: "M0 -8.5L8 6H-8z",
  regular: "M-6.5 -6.5H6.5V6.5H-6.5z",
  chosen: "M0 -10.5L2.8 -3.6L10.2 -3.2L4.5 1.5L6.3 8.7L0 4.7L-6.3 8.7L-4.5 1.5L-10.2 -3.2L-2.8 -3.6z",
};
// A shape and a colour for each family; a single reduction has round dots.
const FAMILY_SHAPES = [
  "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
  "M0 -6.6L6.6 0L0 6.6L-6.6 0z",
  "M-1.9 -6H1.9V-1.9H6V1.9H1.9V6H-1.9V1.9H-6V-1.9H-1.9z",
  "M0 6.4L-6.2 -4.6H6.2z",
  "M-6.4 0L-3.2 -5.6H3.2L6.4 0L3.2 5.6H-3.2z",
  "M-6.4 -2.6H6.4V2.6H-6.4z",
  "M-2.6 -6.4H2.6V6.4H-2.6z",
  "M-6 -3.3L-3.3 -6L0 -2.7L3.3 -6L6 -3.3L2.7 0L6 3.3L3.3 6L0 2.7L-3.3 6L-6 3.3L-2.7 0z",
  "M0 -6.4L5.6 -1V6H-5.6V-1z",
  "M-6 -5L0 -1.2L6 -5V5L0 1.2L-6 5z",
];
const familyShape = (number) => FAMILY_SHAPES[number % FAMILY_SHAPES.length];
const familyClass = (number) => (families.length > 1 ? "family family-" + (number % FAMILY_SHAPES.length) : "");
// A model that is not shown to beat the best constant answer is not recommended.
const chosenWord = (data.advice && data.advice.verdict !== "better") || (data.budget && !data.budget.met) ? "Chosen" : "Recommended";
const MARKS = [["chosen", chosenWord], ["hard", "Hard"], ["regular", "Regular"]];

// Names of a marked model, which may have two.
function nameOf(i) {
  const words = MARKS.filter(([key]) => data[key] === i).map(([, word]) => word);
  return words.map((word, number) => (number ? word.toLowerCase() : word)).join(" and ");
}

function shapeOf(i) {
  if (i === data.chosen) return "chosen";
  if (i === data.hard) return "hard";
  if (i === data.regular) return "regular";
  return state.front[i] ? "front" : "dot";
}

// The outline of a point: of its family, unless it is marked.
function outlineOf(i) {
  const shape = shapeOf(i);
  const plain = shape === "dot" || shape === "front";
  return plain && families.length > 1 ? familyShape(families.indexOf(familyOf[i])) : SHAPES[shape];
}
const classOf = (i) => (familyOf ? familyClass(families.indexOf(familyOf[i])) : "");

function ticks(low, high, wanted) {
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= 0.7 * raw) * power;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step + 0); // 0, not -0
  return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function extent(rows, values, spread) {
  let low = Infinity, high = -Infinity;
  for (const i of rows) {
    low = Math.min(low, values[i] - (spread[i] || 0));
    high = Math.max(high, values[i] + (spread[i] || 0));
  }
  const room = (high - low) * 0.07 || Math.abs(high) * 0.2 || 1;
  // Error bars may reach below zero; the axis does not, unless a value does.
  return [rows.some((i) => values[i] < 0) ? low - room : Math.max(0, low - room), high + room];
}

const FEWEST_IN_SIGHT = 3; // zoom only if this many models stay visible

// The rows that matter are the front, the choice and the regular model; others, such as
// the hard model, may be far away.
function ranges() {
  const all = drawnRows();
  const near = all.filter((i) => state.front[i] || [data.chosen, data.regular, state.index].includes(i));
  const spread = costSpread();
  const close = [extent(near, error, errorSe), extent(near, state.cost, spread)];
  const whole = [extent(all, error, errorSe), extent(all, state.cost, spread)];
  const ratio = Math.max(...[0, 1].map((d) => (whole[d][1] - whole[d][0]) / (close[d][1] - close[d][0])));
  const outside = all.filter((i) => !within(i, close)).length;
  const zoomable = ratio > 2 && outside > 0;
  if (state.zoomed === null) state.zoomed = zoomable && all.length - outside >= FEWEST_IN_SIGHT;
  return { zoomable, outside, range: zoomable && state.zoomed ? close : whole };
}

const within = (i, [[x0, x1], [y0, y1]]) => error[i] >= x0 && error[i] <= x1 && state.cost[i] >= y0 && state.cost[i] <= y1;

// Standard errors belong to the original prices.
const costSpread = () => (state.edited ? trainedCost.map(() => null) : trainedCostSe);

function drawChart() {
  const width = Math.max(280, Math.floor(at("chart").clientWidth));
  const height = width < 520 ? 350 : 450;
  const box = { left: 62, right: width - 18, top: 56, bottom: height - 46 };
  const { zoomable, outside, range } = ranges();
  const [[x0, x1], [y0, y1]] = range;
  const x = (value) => box.left + ((value - x0) / (x1 - x0)) * (box.right - box.left);
  const y = (value) => box.bottom - ((value - y0) / (y1 - y0)) * (box.bottom - box.top);
  Object.assign(chart, { width, height, box, x, y, range, step: 10 ** Math.floor(Math.log10((x1 - x0) / 100)) });
  const zoom = at("zoom");
  zoom.hidden = !zoomable;
  zoom.textContent = state.zoomed ? "Zoom out (" + outside + " more)" : "Zoom to the front";
  zoom.setAttribute("aria-pressed", String(!!state.zoomed));
  const rest = shownRows().some((i) => behind(i)) || state.every;
  at("every-tick").hidden = !rest;
  at("every").checked = state.every;
  at("every-text").textContent = "all " + count(shownRows().length) + " models";
  at("chart-hint").textContent = "Each dot is a model: lower is cheaper, further left has fewer errors." + (state.every || !rest ? "" : " Only the Pareto front is shown: no model is both cheaper and more accurate than these.");

  const svg = draw("svg", { viewBox: "0 0 " + width + " " + height, width, height, role: "group", "aria-label": "Cost against error of " + drawnRows().length + " models" });
  svg.append(
    draw("defs", {}, draw("clipPath", { id: "inside" }, draw("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top }))),
    axes(), frontLine(), errorBars(), budgetShade(), constantLine(), crosshair(), pointGroup(), outsiders(), marks(), budgetHandle(),
  );
  put(at("chart"), svg, make("div", { class: "tip", id: "tip", hidden: "" }));
  markChart();
}

function axes() {
  const { box, x, y, range, width } = chart;
  const group = draw("g", { class: "axes", "aria-hidden": "true" });
  const across = ticks(range[0][0] * 100, range[0][1] * 100, width < 520 ? 4 : 7);
  for (const value of across.found) {
    const px = x(value / 100);
    group.append(draw("line", { class: "grid", x1: px, x2: px, y1: box.top, y2: box.bottom }));
    group.append(draw("text", { x: px, y: box.bottom + 18, "text-anchor": "middle" }, value.toFixed(across.digits) + "%"));
  }
  const up = ticks(range[1][0], range[1][1], 6);
  for (const value of up.found) {
    const py = y(value);
    group.append(draw("line", { class: "grid", x1: box.left, x2: box.right, y1: py, y2: py }));
    group.append(draw("text", { x: box.left - 8, y: py + 4, "text-anchor": "end" }, Math.abs(value) >= 1e5 ? value.toExponential(1) : grouped(value, up.digits)));
  }
  const name = data.error === "error" ? "Error rate" : "Weighted error rate";
  group.append(
    draw("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    draw("text", { class: "name", x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle" }, name + " →"),
    draw("text", { class: "name", x: 2, y: 16, "text-anchor": "start" }, "↑ Cost per row" + (data.currency ? ", " + data.currency : "")),
  );
  return group;
}

function frontLine() {
  const { box, x, y } = chart;
  const rows = softness.map((_, i) => i).filter((i) => state.front[i]).sort((a, b) => error[a] - error[b]);
  // A staircase: a model's cost is reached once its error is allowed. The line ends with
  // the first and the last model; what they beat is shaded.
  const [first, last] = [rows[0], rows[rows.length - 1]];
  let line = "M" + x(error[first]) + " " + y(state.cost[first]);
  rows.forEach((i) => { line += "H" + x(error[i]) + "V" + y(state.cost[i]); });
  const area = line + "H" + (box.right + 5000) + "V-5000H" + x(error[first]) + "z";
  return draw("g", { "clip-path": "url(#inside)", "aria-hidden": "true" },
    draw("path", { class: "beaten", d: area }), first === last ? "" : draw("path", { class: "front-line", d: line }));
}

// What the best single answer costs, where that is in sight.
function constantLine() {
  const { box, y, range } = chart;
  const group = draw("g", { class: "constant", "aria-hidden": "true" });
  const { label: name, cost } = constantAt(state.prices, state.edited);
  if (!(cost >= range[1][0] && cost <= range[1][1])) return group;
  const text = "always " + (name.length > 18 ? name.slice(0, 17) + "…" : name);
  group.append(draw("line", { x1: box.left, x2: box.right, y1: y(cost), y2: y(cost) }), draw("text", { x: box.left + 6, y: y(cost) - 5 }, text));
  return group;
}

// Models that are out of sight, as arrows on the border that lead to them.
function outsiders() {
  const { box, x, y, range } = chart;
  const group = draw("g", { class: "outsiders", "aria-hidden": "true" });
  for (const i of drawnRows()) {
    if (within(i, range)) continue;
    const px = Math.min(Math.max(x(error[i]), box.left), box.right), py = Math.min(Math.max(y(state.cost[i]), box.top), box.bottom);
    const turn = px < x(error[i]) ? (py > y(state.cost[i]) ? -45 : 0) : py > y(state.cost[i]) ? -90 : px > x(error[i]) ? 180 : 90;
    const mark = vary(draw("path", { class: "outsider " + classOf(i), "data-model": i, d: "M1 0L-8 -4.5V4.5z", transform: "translate(" + px + " " + py + ") rotate(" + turn + ")" }), "--s", softness[i]);
    mark.append(draw("title", {}, (nameOf(i) ? nameOf(i) + ": " : "") + describe(i)));
    mark.addEventListener("click", () => pick(i, "hand"));
    group.append(mark);
  }
  return group;
}

function errorBars() {
  const { x, y } = chart;
  const group = draw("g", { class: "bars", "clip-path": "url(#inside)", "aria-hidden": "true" });
  const spread = costSpread();
  chart.bars = softness.map((value, i) => {
    let path = "";
    if (spread[i]) path += "M" + x(error[i]) + " " + y(state.cost[i] - spread[i]) + "V" + y(state.cost[i] + spread[i]);
    if (errorSe[i]) path += "M" + x(error[i] - errorSe[i]) + " " + y(state.cost[i]) + "H" + x(error[i] + errorSe[i]);
    const bar = vary(draw("path", { class: "bar " + classOf(i) + (isShown(i) ? behind(i) : " gone"), d: path || "M0 0" }), "--s", value);
    group.append(bar);
    return bar;
  });
  return group;
}

function describe(i) {
  return nameModel(i) + ": cost " + money(state.cost[i]) + ", " + errorWord + " " + percent(error[i]);
}

// Models that are drawn on demand only.
const behind = (i) => (state.every || state.front[i] || isMarked(i) ? "" : " behind");

function pointGroup() {
  const { x, y } = chart;
  const group = draw("g", { role: "radiogroup", "aria-label": "Models", "clip-path": "url(#inside)" });
  const rank = { dot: 0, front: 1, regular: 2, hard: 3, chosen: 4 };
  const order = shownRows().sort((a, b) => rank[shapeOf(a)] - rank[shapeOf(b)] || a - b);
  chart.points = [];
  for (const i of order) {
    const shape = shapeOf(i);
    const point = draw("g", { class: "point " + shape + " " + classOf(i) + (state.front[i] ? " on-front" : "") + behind(i), role: "radio", "aria-label": (nameOf(i) ? nameOf(i) + ": " : "") + describe(i), transform: "translate(" + x(error[i]) + " " + y(state.cost[i]) + ")", "data-row": i },
      draw("circle", { class: "touch", r: 11 }), draw("path", { class: "shape", d: outlineOf(i) }));
    vary(point, "--s", softness[i]);
    point.addEventListener("click", () => pick(i, "hand"));
    point.addEventListener("pointerenter", () => showTip(i));
    point.addEventListener("pointerleave", hideTip);
    point.addEventListener("focus", () => showTip(i));
    point.addEventListener("blur", hideTip);
    point.addEventListener("keydown", (event) => walkPoints(event, i));
    chart.points[i] = point;
    group.append(point);
  }
  return group;
}

function walkPoints(event, i) {
  const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  const order = drawnRows().sort((a, b) => error[a] - error[b] || state.cost[a] - state.cost[b] || a - b);
  const next = order[(order.indexOf(i) + way + order.length) % order.length];
  pick(next, "hand");
  chart.points[next].focus();
}

function crosshair() {
  chart.cross = draw("path", { class: "cross", "aria-hidden": "true" });
  chart.ring = draw("circle", { class: "ring", r: 14, "aria-hidden": "true" });
  return draw("g", { "clip-path": "url(#inside)" }, chart.cross, chart.ring);
}

// Names beside the marked models, where there is room; of one out of sight at the border.
function marks() {
  const { box, x, y, range } = chart;
  const group = draw("g", { class: "names", "aria-hidden": "true" });
  const taken = [];
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const spot = (i) => [clamp(x(error[i]), box.left, box.right), clamp(y(state.cost[i]), box.top, box.bottom)];
  const marked = MARKS.map(([key]) => data[key]).filter((i) => i !== null && isShown(i));
  const tries = [[14, -11, "start"], [14, 21, "start"], [-14, -11, "end"], [-14, 21, "end"], [18, 4, "start"], [-18, 4, "end"], [0, -19, "middle"], [0, 28, "middle"]];
  for (const far of [34, 50, 66]) for (const side of ["start", "end", "middle"]) tries.push([0, -far, side], [0, far, side]);
  for (const [key] of MARKS) {
    const i = data[key];
    if (i === null || shapeOf(i) !== key || !isShown(i)) continue;
    const text = nameOf(i) + (within(i, range) ? "" : " ↗"), [px, py] = spot(i), wide = text.length * 7.4;
    const free = tries.map(([dx, dy, anchor], order) => {
      const left = px + dx - (anchor === "end" ? wide : anchor === "middle" ? wide / 2 : 0);
      const area = [left, py + dy - 12, left + wide, py + dy + 4];
      const over = taken.filter((one) => area[0] < one[2] + 4 && one[0] - 4 < area[2] && area[1] < one[3] && one[1] < area[3]).length;
      const near = (j, room) => { const [qx, qy] = spot(j); return Math.abs(qx - (left + wide / 2)) < wide / 2 + room && Math.abs(qy - (py + dy - 4)) < room + 6; };
      const hits = marked.filter((j) => near(j, 9)).length, crowd = shownRows().filter((j) => state.front[j] && near(j, 4)).length;
      const out = area[0] < box.left || area[2] > box.right || area[1] < box.top || area[3] > box.bottom;
      return { dx, dy, anchor, area, bad: 12 * over + 4 * hits + 6 * out + 0.5 * Math.min(crowd, 4) + order * 0.12 };
    }).sort((a, b) => a.bad - b.bad)[0];
    taken.push(free.area);
    if (Math.abs(free.dy) > 28) group.append(draw("line", { class: "leader", x1: px, y1: py, x2: px + free.dx, y2: py + free.dy + (free.dy < 0 ? 4 : -12) }));
    group.append(draw("text", { class: "name-" + key, x: px + free.dx, y: py + free.dy, "text-anchor": free.anchor }, text));
  }
  return group;
}

function budgetShade() {
  chart.shade = draw("rect", { class: "shade", y: chart.box.top, height: chart.box.bottom - chart.box.top, "aria-hidden": "true" });
  return chart.shade;
}

function budgetHandle() {
  const { box } = chart;
  chart.budgetText = draw("text", { y: box.top - 12, "text-anchor": "middle" });
  chart.pill = draw("rect", { class: "pill", y: box.top - 28, height: 24, rx: 12 });
  const line = draw("line", { class: "budget-line", y1: box.top - 4, y2: box.bottom });
  const grip = draw("line", { class: "grip", y1: box.top - 28, y2: box.bottom });
  const handle = draw("g", { class: "budget", id: "budget-line", role: "slider", tabindex: 0, "aria-label": "Error budget in percent", "aria-orientation": "horizontal" }, grip, line, chart.pill, chart.budgetText);
  handle.addEventListener("pointerdown", (event) => {
    chart.drag = true;
    handle.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => { if (chart.drag) setBudget(budgetAt(event)); });
  for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, () => { chart.drag = false; });
  handle.addEventListener("keydown", moveBudget);
  chart.handle = handle;
  return handle;
}

function budgetAt(event) {
  const { box, range, width } = chart;
  const frame = at("chart").querySelector("svg").getBoundingClientRect();
  const px = ((event.clientX - frame.left) * width) / frame.width;
  return onGrid(range[0][0] + ((px - box.left) / (box.right - box.left)) * (range[0][1] - range[0][0]));
}

// Budgets are round numbers, so that what is read is what is meant.
function onGrid(value) {
  const [low, high] = chart.range[0];
  const steps = Math.round(value / chart.step);
  const digits = Math.max(0, Math.round(-Math.log10(chart.step)));
  const round = Number((steps * chart.step).toFixed(digits));
  if (round >= high) return null;
  return Math.max(Number((Math.ceil(low / chart.step) * chart.step).toFixed(digits)), round);
}

function moveBudget(event) {
  const high = chart.range[0][1];
  const now = state.budget === null ? high : Math.min(state.budget, high);
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
  if (steps) setBudget(onGrid(now + steps * chart.step));
  else if (event.key === "Home") setBudget(onGrid(Math.min(...error) + chart.step));
  else if (event.key === "End") setBudget(null);
  else return;
  event.preventDefault();
}

function budgetLabel(value) {
  // As many digits as the grid has, and more for a budget between its lines.
  const digits = Math.max(1, Math.round(-Math.log10(chart.step)) - 2);
  return [digits, digits + 1, digits + 2].map((n) => percent(value, n)).find((text) => Math.abs(parseFloat(text) - 100 * value) < 1e-9) || percent(value, digits + 2);
}

// Updates that follow the selection and the budget, without a redraw.
function markChart() {
  const { x, y, box, range, width } = chart;
  const px = x(error[state.index]), py = y(state.cost[state.index]);
  chart.ring.setAttribute("cx", px);
  chart.ring.setAttribute("cy", py);
  chart.cross.setAttribute("d", "M" + box.left + " " + py + "H" + px + "V" + box.bottom);
  chart.points.forEach((point, i) => {
    const here = i === state.index;
    point.classList.toggle("here", here);
    point.classList.toggle("over", state.budget !== null && error[i] > state.budget && !here && !isMarked(i));
    point.setAttribute("aria-checked", String(here));
    point.setAttribute("tabindex", here ? 0 : -1);
    chart.bars[i].classList.toggle("here", here);
  });
  at("chart").classList.toggle("no-bars", !state.bars);
  const limit = state.budget === null ? range[0][1] : Math.min(Math.max(state.budget, range[0][0]), range[0][1]);
  const bx = x(limit);
  const text = state.budget === null ? "⟷ error budget" : "≤ " + budgetLabel(state.budget);
  const half = text.length * 3.7 + 12;
  const middle = Math.min(Math.max(bx, box.left + half), width - half - 2);
  chart.handle.classList.toggle("none", state.budget === null);
  chart.budgetText.textContent = text;
  chart.budgetText.setAttribute("x", middle);
  chart.pill.setAttribute("x", middle - half);
  chart.pill.setAttribute("width", 2 * half);
  for (const line of chart.handle.querySelectorAll("line")) {
    line.setAttribute("x1", bx);
    line.setAttribute("x2", bx);
  }
  chart.shade.setAttribute("x", bx);
  chart.shade.setAttribute("width", Math.max(0, box.right - bx));
  chart.handle.setAttribute("aria-valuemin", (100 * range[0][0]).toFixed(3));
  chart.handle.setAttribute("aria-valuemax", (100 * range[0][1]).toFixed(3));
  chart.handle.setAttribute("aria-valuenow", (100 * limit).toFixed(3));
  chart.handle.setAttribute("aria-valuetext", state.budget === null ? "no budget" : "at most " + budgetLabel(state.budget));
}

function showTip(i) {
  const tip = at("tip");
  put(tip,
    make("b", {}, (nameOf(i) ? nameOf(i) + " · " : "") + "softness " + show(softness[i])),
    settingOf[i] ? make("span", {}, settingOf[i]) : null,
    make("span", {}, "cost " + amount(state.cost[i]) + (costSpread()[i] ? " ± " + spreadLike(state.cost[i], trainedCostSe[i]) : "")),
    make("span", {}, errorWord + " " + percent(error[i]) + (errorSe[i] ? " ± " + percent(errorSe[i]) : "")));
  tip.hidden = false;
  const px = chart.x(error[i]), py = chart.y(state.cost[i]);
  tip.style.left = Math.min(Math.max(px - tip.offsetWidth / 2, 0), chart.width - tip.offsetWidth) + "px";
  const above = py - tip.offsetHeight - 16;
  tip.style.top = (above > 0 ? above : py + 18) + "px";
}
function hideTip() { at("tip").hidden = true; }
