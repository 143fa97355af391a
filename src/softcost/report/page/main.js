// The state of the page, and the functions that change it.
const state = {
  index: data.chosen, how: "recommended", budget: data.limit, prices: originalPrices.slice(), edited: false,
  cost: trainedCost, front: [], setting: null, money: false, bars: true, every: false, sorts: {}, zoomed: null, hidden: new Set(), allRecalls: false, allColumns: false,
};
state.front = frontOf(error, trainedCost);

function pick(index, how) {
  state.index = index;
  state.how = how;
  if (!isShown(index)) { state.hidden.delete(familyOf[index]); drawFamilies(); }
  if (how === "hand" && state.setting !== null) state.setting = settingOf[index];
  if (chart.range && !within(index, chart.range)) { state.zoomed = false; drawChart(); }
  showSelection();
}

function showSelection() {
  drawWords();
  drawMistakes();
  drawConfusion();
  drawRecall();
  drawTurns();
  drawLines();
  drawControls();
  markChart();
  markTable();
}

function setBudget(budget) {
  sayBudget(false);
  state.budget = budget;
  if (budget === null) pick(...freely());
  else pick(cheapest(state.cost, budget), "budget");
}

// The choice without a budget: the choice of the search, unless it has a budget.
function freely() {
  const trained = !state.edited && isShown(data.chosen) && data.limit === null;
  return trained ? [data.chosen, "recommended"] : [cheapest(state.cost, null), "cheapest"];
}

// Choose again after a change of prices or families, unless a model was picked by hand.
function chooseAgain(needed) {
  if (!needed) return;
  const trained = !state.edited && isShown(data.chosen) && state.budget === data.limit;
  if (trained) [state.index, state.how] = [data.chosen, "recommended"];
  else if (state.budget !== null) [state.index, state.how] = [cheapest(state.cost, state.budget), "budget"];
  else [state.index, state.how] = freely();
}

function setPrice(box, cell) {
  const text = box.value.trim().replace(",", ".");
  const price = Number(text), lowest = state.prices[Math.floor(cell / A) * (A + 1)];
  if (text === "") return sayPrice(box, "Enter a price.");
  if (!Number.isFinite(price)) return sayPrice(box, "“" + box.value.trim() + "” is not a number.");
  if (price < lowest) return sayPrice(box, "A mistake cannot cost less than the correct answer, " + show(lowest) + ".");
  sayPrice(box, "");
  state.prices[cell] = text === priceText(cell) ? originalPrices[cell] : price;
  box.classList.toggle("changed", state.prices[cell] !== originalPrices[cell]);
  reprice();
}

// Explain a price that is not used; no text if it is.
function sayPrice(box, text) {
  box.setAttribute("aria-invalid", String(text !== ""));
  at("price-message").textContent = text ? text + " The previous price stays in use." : "";
}

function reprice() {
  state.edited = state.prices.some((price, cell) => price !== originalPrices[cell]);
  state.cost = costsAt(state.prices);
  state.front = frontOf(error, state.cost);
  chooseAgain(state.how !== "hand");
  drawChart();
  drawTable();
  drawPricesHint();
  drawTest();
  showSelection();
}

// Switch a family off or on; the last one stays.
function toggleFamily(name) {
  if (!state.hidden.delete(name)) {
    if (state.hidden.size === families.length - 1) return;
    state.hidden.add(name);
  }
  chooseAgain(state.how !== "hand" || !isShown(state.index));
  if (state.setting !== null) state.setting = settingOf[state.index];
  drawFamilies();
  showSelection();
}

function drawFamilies() {
  state.front = frontOf(error, state.cost);
  for (const button of at("families").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(!state.hidden.has(families[Number(button.dataset.family)])));
  }
  state.zoomed = null;
  drawChart();
  drawTable();
}

// All models, or the front and the marked models.
function showEvery(every) {
  state.every = every;
  state.zoomed = null;
  drawChart();
  drawTable();
  markTable();
}

function resetPrices() {
  state.prices = originalPrices.slice();
  for (const box of at("prices").querySelectorAll("input")) {
    box.value = priceText(Number(box.dataset.cell));
    box.classList.remove("changed");
    sayPrice(box, "");
  }
  if (oneByOne) at("price-truth").dispatchEvent(new Event("change"));
  reprice();
}

function drawControls() {
  const value = softness[state.index], slider = at("softness");
  slider.value = softnessValues.indexOf(value);
  slider.setAttribute("aria-valuetext", show(value));
  at("softness-value").textContent = show(value);
  at("combo").value = state.setting === null ? "-1" : String(settings.indexOf(state.setting));
  const box = at("budget");
  // An invalid budget stays in sight, with its message, until it is corrected.
  if (document.activeElement !== box && box.getAttribute("aria-invalid") !== "true") box.value = state.budget === null ? "" : String(Number((100 * state.budget).toFixed(6)));
  at("no-budget").disabled = state.budget === null;
}

function sayBudget(bad) {
  at("budget").setAttribute("aria-invalid", String(bad));
  at("budget-message").textContent = bad ? "Enter a percentage from 0 to 100." : "";
}

function buildControls() {
  const slider = at("softness");
  slider.max = softnessValues.length - 1;
  slider.disabled = softnessValues.length < 2;
  slider.addEventListener("input", () => pick(bestAt(state.cost, softnessValues[slider.valueAsNumber], state.setting), "hand"));
  const combo = at("combo");
  combo.append(make("option", { value: -1 }, "Best at each softness"), ...settings.map((text, number) => make("option", { value: number }, text)));
  at("combo-control").hidden = settings.length < 2;
  combo.addEventListener("change", () => {
    state.setting = combo.value === "-1" ? null : settings[Number(combo.value)];
    pick(bestAt(state.cost, softness[state.index], state.setting), "hand");
  });
  at("budget").addEventListener("input", () => {
    const text = at("budget").value.trim().replace(",", ".").replace("%", "");
    const value = Number(text) / 100;
    const bad = !(value >= 0 && value <= 1);
    sayBudget(bad);
    if (!bad) setBudget(text === "" ? null : Number(value.toFixed(8)));
  });
  at("no-budget").addEventListener("click", () => setBudget(null));
  at("every").addEventListener("change", () => showEvery(at("every").checked));
  at("every-row").addEventListener("click", () => showEvery(!state.every));
  at("bars").addEventListener("change", () => { state.bars = at("bars").checked; markChart(); });
  at("zoom").addEventListener("click", () => { state.zoomed = !state.zoomed; drawChart(); });
  at("in-counts").addEventListener("click", () => { state.money = false; drawConfusion(); });
  at("in-money").addEventListener("click", () => { state.money = true; drawConfusion(); });
  at("all-columns").addEventListener("click", () => { state.allColumns = !state.allColumns; drawImportance(); });
  at("all-recalls").addEventListener("click", () => { state.allRecalls = !state.allRecalls; drawRecall(); });
  at("print").addEventListener("click", () => window.print());
  at("reset-prices").addEventListener("click", resetPrices);
  at("save-prices").addEventListener("click", () => download(state.edited ? EDITED_PRICES : "prices.csv", pricesCsv()));
  at("save-table").addEventListener("click", () => download("tradeoff.csv", tableCsv()));
}

function buildLegend() {
  const icon = (name) => draw("svg", { width: 18, height: 18, viewBox: "-11 -11 22 22", class: "icon point " + name + " " + classOf(data[name]), "aria-hidden": "true" }, draw("path", { class: "shape", d: SHAPES[name] }));
  for (const [key, text] of MARKS) {
    if (data[key] === null) continue;
    const button = make("button", { type: "button", class: "key" }, vary(icon(key), "--s", softness[data[key]]), text);
    button.addEventListener("click", () => {
      if (key === "chosen") { state.budget = data.limit; sayBudget(false); }
      pick(data[key], key === "chosen" ? "recommended" : "hand");
    });
    at("legend").append(button);
  }
  const still = (name, text) => at("legend").append(make("span", { class: "key" }, make("span", { class: "swatch " + name, "aria-hidden": "true" }), text));
  still("front", "front");
  still("selected", "selected");
  at("families-row").hidden = families.length < 2;
  families.forEach((name, number) => {
    const symbol = draw("svg", { width: 18, height: 18, viewBox: "-9 -9 18 18", class: "icon point front " + familyClass(number), "aria-hidden": "true" }, draw("path", { class: "shape", d: familyShape(number) }));
    const button = make("button", { type: "button", class: "key", "aria-pressed": "true", "data-family": number }, symbol, make("bdi", {}, name));
    button.addEventListener("click", () => toggleFamily(name));
    at("families").append(button);
  });
}

function buildHead() {
  at("title").textContent = data.title;
  const facts = [
    data.rows === null ? null : count(data.rows) + " rows", data.features === null ? null : count(data.features) + (data.features === 1 ? " column" : " columns"), K + " classes",
    families.length ? families.length + (families.length === 1 ? " family" : " families") : [data.reduction, data.learner].filter(Boolean).join(" with ") || null,
    N + (N === 1 ? " model" : " models") + (data.folds ? ", " + data.folds + "-fold cross-validation" : ""),
  ];
  put(at("facts"), ...facts.filter((fact) => fact !== null).map((fact) => make("span", {}, fact)));
  // With few classes the confusion matrix fits beside the chart.
  if (A <= 3) document.querySelectorAll(".column")[1].append(at("confusion-title").closest("section"));
  at("made-by").textContent = "Made by softcost " + data.version + ". This page is one file and loads nothing.";
}

// The recalls fill the right column if it ends above them.
function fillColumn() {
  const recall = at("recall-title").closest("section"), [, right] = document.querySelectorAll(".column");
  if (right.lastElementChild.getBoundingClientRect().bottom < recall.getBoundingClientRect().top) right.append(recall);
}

document.documentElement.classList.toggle("compact", isCompact());
document.documentElement.classList.toggle("dense", K > 12);
document.documentElement.classList.toggle("heat-map", isHeatMap);
document.documentElement.classList.toggle("by-family", families.length > 1);
buildHead();
buildLegend();
buildControls();
buildPrices();
buildHeatMap();
drawPricesHint();
drawTest();
drawImportance();
drawChart();
drawTable();
showSelection();
fillColumn();
let drawnAt = chart.width;
new ResizeObserver(() => {
  const width = Math.max(280, Math.floor(at("chart").clientWidth));
  if (width !== drawnAt && !chart.drag) { drawnAt = width; drawChart(); }
}).observe(at("chart"));
