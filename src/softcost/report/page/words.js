// The verdict, the cost to expect, comparisons, and their significance.
const VERDICTS = { "better": ["use", "Use it"], "not better": ["avoid", "Not worth it"], "not shown to be better": ["collect", "Collect more data"] };
function drawWords() {
  const i = state.index;
  drawBadge(i);
  at("verdict-how").textContent = howChosen();
  const honest = isChoice(i) && data.expected;
  put(at("sentence"), ...(honest ? ["Expect ", make("b", {}, amount(data.expected[0])), " per example on new rows, "] : [make("b", {}, amount(state.cost[i])), " per example, "]), ...errorsOf(i), ".");
  drawAdvice(i);
  announce(at("badge").textContent + ". " + howChosen() + ". " + at("sentence").textContent + " " + at("advice").textContent);
  const note = at("what-if-note");
  note.hidden = !state.edited;
  note.textContent = "Costs use your what-if prices. The models were trained with the original prices; retrain with yours to get the best model.";
  drawAsked(i);
  drawExpected(i);
  drawMeasures(i);
  drawStory(i);
  drawEffect();
}

// What was computed for the choice of the search holds at the original prices only.
const isChoice = (i) => i === data.chosen && !state.edited;

function drawBadge(i) {
  const missed = data.budget && !data.budget.met;
  const [kind, words] = missed ? ["avoid", "No model meets the budget"] : (data.advice && VERDICTS[data.advice.verdict]) || ["", ""];
  at("badge").hidden = !isChoice(i) || !words;
  at("badge").className = "badge " + kind;
  at("badge").textContent = at("badge").hidden ? "" : words;
}

// The effect of changed prices, in one sentence.
function drawEffect() {
  const note = at("prices-effect"), best = cheapest(state.cost, state.budget), chosen = data.chosen;
  note.hidden = !state.edited;
  if (!state.edited) return;
  const before = "With your prices, the " + chosenWord.toLowerCase() + " model costs " + amount(state.cost[chosen]) + " per example instead of " + amount(trainedCost[chosen]);
  note.textContent = before + (best === chosen
    ? " and is still the choice" + (state.budget === null ? "." : " within the budget.")
    : "; the choice is now " + nameModel(best) + ", at " + amount(state.cost[best]) + ".");
}
const nameModel = (i) => (settingOf[i] ? settingOf[i] + ", " : "") + "softness " + show(softness[i]);

// The error; with actions, the coverage and the error among the answered examples.
function errorsOf(i) {
  const coverage = column("coverage"), answered = column("error_answered");
  if (!coverage || !answered) return ["at ", make("b", {}, percent(error[i]) + " " + errorWord)];
  const itself = ["answering ", make("b", {}, percent(coverage[i], 1)), " itself"];
  return answered[i] === null ? itself : [...itself, ", with ", make("b", {}, percent(answered[i]) + " errors")];
}

// Intervals were computed for the choice of the search, at the original prices.
function drawAdvice(i) {
  const told = isChoice(i) ? data.advice : null;
  const list = at("advice");
  const budget = isChoice(i) ? data.budget : null;
  list.className = "advice " + (told ? told.verdict.replaceAll(" ", "-") : "plain") + (budget && !budget.met ? " missed" : "");
  const limits = budget ? [make("li", { class: budget.met ? "budget-met" : "budget-missed" }, budget.words)] : [];
  if (told) {
    put(list, ...limits, ...told.sentences.map((text) => make("li", {}, text)));
    return;
  }
  const others = [];
  const constant = constantAt(state.prices, state.edited);
  if (Number.isFinite(constant.cost)) others.push(["always answering " + constant.label, constant.cost]);
  if (data.regular !== null && data.regular !== i) others.push(["the regular model", state.cost[data.regular]]);
  if (i !== data.chosen) others.push(["the " + chosenWord.toLowerCase() + " model", state.cost[data.chosen]]);
  const words = others.map(([name, cost]) => name + ": " + amount(cost)).join("; ");
  const doubt = data.advice ? " Significance was computed for the " + chosenWord.toLowerCase() + " model only" + (state.edited ? ", at the original prices." : ".") : "";
  put(list, ...limits, words ? make("li", {}, "In comparison, per example: " + words + "." + doubt) : null);
}

// With actions: how often the model uses each, and their cost.
function drawAsked(i) {
  const note = at("asked"), counts = confusion[i], amounts = moneyOf(i, state.prices);
  note.hidden = A === K;
  if (A === K) return;
  const parts = data.answers.slice(K).map((name, a) => {
    let rows = 0, paid = 0;
    for (let k = 0; k < K; k++) { rows += counts[k * A + K + a]; paid += amounts[k * A + K + a]; }
    return count(rows) + " of " + count(Math.round(totals[i])) + " examples (" + percent(rows / totals[i], 1) + ") go to " + name + ", for " + amount(paid);
  });
  const asks = (j) => { let rows = 0; confusion[j].forEach((n, cell) => { if (cell % A >= K) rows += n; }); return rows; };
  const alone = shownRows().filter((j) => asks(j) === 0);
  const best = alone.length ? leastRow({ softness }, alone, state.cost) : null;
  const saves = best === null ? "" : state.cost[best] > state.cost[i]
    ? " The cheapest model that answers everything itself costs " + amount(state.cost[best]) + " per example: " + amount(state.cost[best] - state.cost[i]) + " more."
    : " A model that answers everything itself costs no more: " + amount(state.cost[best]) + " per example.";
  note.textContent = parts.join("; ") + "." + saves;
}

// Picking the best of many candidates is optimistic.
function drawExpected(i) {
  const note = at("expected"), told = data.expected;
  note.hidden = !told || !isChoice(i);
  if (!note.hidden) note.textContent = "Cross-validation measured " + amount(state.cost[i]) + ", but picking the best of " + count(N) + " models is optimistic. 95% of resamples give " + money(told[1]) + " to " + money(told[2]) + ".";
}

// With "auto" the rules prefer the blend, which may cost a little more than another model.
const cheapestWord = data.penalty ? "Choice" : "Cheapest";
function howChosen() {
  const setting = settingOf[state.index] ? ", " + settingOf[state.index] : "";
  const model = "softness " + show(softness[state.index]) + setting;
  if (state.how === "budget") {
    const within = error[state.index] <= state.budget;
    return (within ? cheapestWord + " with at most " + budgetLabel(state.budget) + " " + errorWord : "No model has at most " + budgetLabel(state.budget) + " " + errorWord + "; fewest") + ": " + model;
  }
  if (state.how === "cheapest") return cheapestWord + " " + (state.edited ? "at your prices: " : "of the families shown: ") + model;
  return (nameOf(state.index) || "Your selection") + ": " + model;
}

function drawMeasures(i) {
  const constant = constantAt(state.prices, state.edited);
  const tile = (name, values, format, i, spread, always) => {
    const rest = [["regular", data.regular], ["hard", data.hard]].filter(([, row]) => row !== null && row !== i);
    const others = rest.map(([word, row]) => make("span", { class: "other " + word }, word + " " + format(values[row])));
    if (Number.isFinite(always)) others.push(make("span", { class: "other constant" }, "always ", make("bdi", {}, constant.label), ": " + format(always)));
    return make("div", { class: "measure" }, make("dt", {}, name),
      make("dd", {}, make("span", { class: "value" }, format(values[i])), spread ? make("span", { class: "spread" }, " ± " + spread) : "", make("span", { class: "others" }, ...others)));
  };
  const always = { cost: constant.cost, [data.error]: constant.error };
  const tiles = measures.map((measure) => tile(titleOf(measure), valuesOf(measure), formatOf(measure), i, spreadText(measure, i), always[measure.name]));
  const paid = state.cost.map((cost, row) => cost * totals[row]);
  tiles.push(tile("Paid for " + count(Math.round(totals[i])) + " examples" + (data.currency ? ", " + data.currency : ""), paid, money, i, "", constant.cost * totals[i]));
  put(at("measures"), ...tiles);
}

// In print: the cost without this model, and with it.
function drawStory(i) {
  const constant = constantAt(state.prices, state.edited), examples = Math.round(totals[i]);
  const rows = [["Always answering " + constant.label, constant.cost, constant.error]];
  if (data.regular !== null && data.regular !== i) rows.push(["Regular model, trained without prices", state.cost[data.regular], error[data.regular]]);
  rows.push(["This model", state.cost[i], error[i]]);
  const head = ["", "Cost per example", "For " + count(examples) + " examples", data.error === "error" ? "Errors" : "Weighted errors"];
  put(at("story"), make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map(([name, cost, wrong]) => make("tr", {}, make("th", { scope: "row" }, name),
      make("td", {}, amount(cost)), make("td", {}, amount(cost * totals[i])), make("td", {}, wrong === null ? "–" : percent(wrong))))));
}
