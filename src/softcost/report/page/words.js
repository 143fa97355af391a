// The verdict, the expected cost, comparisons, and their significance.
const VERDICTS = { "better": ["use", "Use it"], "not better": ["avoid", "Not worth it"], "not shown to be better": ["collect", "Collect more data"] };
function drawWords() {
  const i = state.index;
  drawBadge(i);
  at("verdict-how").textContent = howChosen();
  put(at("sentence"), ...headline(i));
  drawExpected(i);
  drawAdvice(i);
  announce(["badge", "sentence", "verdict-how", "advice"].map((id) => at(id).textContent).filter(Boolean).join(" — "));
  at("what-if-note").hidden = !state.edited;
  drawAsked(i);
  drawMeasures(i);
  drawStory(i);
  drawEffect();
  drawNotChosen(i);
}

// The advice and the expected cost hold for the choice of the search at the original prices.
const isChoice = (i) => i === data.chosen && !state.edited;
const chosenModel = "the " + chosenWord.toLowerCase() + " model";
const nameModel = (i) => (settingOf[i] ? settingOf[i] + ", " : "") + "softness " + show(softness[i]);

function drawBadge(i) {
  const missed = data.budget && !data.budget.met;
  const [kind, words] = missed ? ["avoid", "No model meets the budget"] : (data.advice && VERDICTS[data.advice.verdict]) || ["", ""];
  at("badge").hidden = !isChoice(i) || !words;
  at("badge").className = "badge " + kind;
  at("badge").textContent = at("badge").hidden ? "" : words;
}

// The expected cost after selection. An estimate below the measured cost promises nothing.
const expectedCost = (i) => (isChoice(i) && data.expected ? Math.max(data.expected[0], state.cost[i]) : null);

function headline(i) {
  const expected = expectedCost(i), constant = constantAt(state.prices, state.edited);
  const cost = expected === null ? [make("b", {}, amount(state.cost[i])), " per row in cross-validation"] : ["Expect ", make("b", {}, amount(expected)), " per row on new data"];
  const always = Number.isFinite(constant.cost) ? [" Always answering ", make("bdi", {}, constant.label), " costs " + amount(constant.cost) + "."] : [];
  return [...cost, ...errorsOf(i), ".", ...always];
}

// The error; with actions, the coverage and the error of the answered rows.
function errorsOf(i) {
  const coverage = column("coverage"), answered = column("error_answered");
  if (!coverage || !answered) return [", with ", make("b", {}, percent(error[i]) + " " + errorWord)];
  const itself = ["; the model answers ", make("b", {}, percent(coverage[i], 1)), " of the rows"];
  return answered[i] === null ? itself : [...itself, ", with ", make("b", {}, percent(answered[i]) + " errors")];
}

// Picking the best of many candidates is optimistic.
function drawExpected(i) {
  const note = at("expected"), expected = expectedCost(i);
  note.hidden = expected === null;
  if (note.hidden) return;
  const bias = expected > state.cost[i] ? ", but picking the best of " + count(N) + " models is optimistic" : "; picking the best of " + count(N) + " models did not bias it";
  note.textContent = "Cross-validation measured " + amount(state.cost[i]) + bias + ". 95% of resamples: " + money(data.expected[1]) + " to " + money(data.expected[2]) + ".";
}

// The effect of changed prices, in one sentence.
function drawEffect() {
  const note = at("prices-effect"), best = cheapest(state.cost, state.budget), chosen = data.chosen;
  note.hidden = !state.edited;
  if (!state.edited) return;
  const [before, after] = [trainedCost[chosen], state.cost[chosen]].map(amount);
  const cost = before === after ? "Your prices do not change the cost of " + chosenModel + ", " + after + " per row" : "With your prices, " + chosenModel + " costs " + after + " per row instead of " + before;
  note.textContent = cost + (best === chosen
    ? ", and it is still the choice" + (state.budget === null ? "." : " within the budget.")
    : "; the choice is now " + nameModel(best) + ", at " + amount(state.cost[best]) + ".");
}

// Savings and their intervals; for other models and prices, costs to compare with.
function drawAdvice(i) {
  const advice = isChoice(i) ? data.advice : null, budget = isChoice(i) ? data.budget : null;
  const list = at("advice");
  list.className = "advice " + (advice ? advice.verdict.replaceAll(" ", "-") : "plain") + (budget && !budget.met ? " missed" : "");
  const limits = budget ? [make("li", { class: budget.met ? "budget-met" : "budget-missed" }, budget.words)] : [];
  if (advice) return put(list, ...limits, ...advice.sentences.map((text) => make("li", {}, text)));
  const others = [];
  if (data.regular !== null && data.regular !== i) others.push("the regular model " + amount(state.cost[data.regular]));
  if (i !== data.chosen) others.push(chosenModel + " " + amount(state.cost[data.chosen]));
  const costs = others.length ? "For comparison, per row: " + others.join(", ") + "." : "";
  const doubt = data.advice ? " Significance was computed for " + chosenModel + " only" + (state.edited ? ", at the original prices." : ".") : "";
  return put(list, ...limits, costs ? make("li", {}, costs + doubt) : null);
}

// With actions: how often the model chooses each, and their cost.
function drawAsked(i) {
  const note = at("asked"), counts = confusion[i], amounts = moneyOf(i, state.prices);
  note.hidden = A === K;
  if (A === K) return;
  const actions = data.answers.slice(K), rows = count(Math.round(totals[i]));
  const parts = actions.map((name, a) => {
    let times = 0, cost = 0;
    for (let k = 0; k < K; k++) { times += counts[k * A + K + a]; cost += amounts[k * A + K + a]; }
    return name + " for " + count(times) + " of " + rows + " rows (" + percent(times / totals[i], 1) + "), at a cost of " + amount(cost);
  });
  const acts = (j) => confusion[j].some((n, cell) => cell % A >= K && n > 0);
  const alone = shownRows().filter((j) => !acts(j));
  const best = alone.length ? leastRow({ softness }, alone, state.cost) : null;
  const gap = best === null ? 0 : state.cost[best] - state.cost[i];
  const without = best === null ? "" : " Without " + actions.join(" and ") + ", the cheapest model costs " + amount(state.cost[best]) + " per row, " + (gap === 0 ? "the same." : amount(Math.abs(gap)) + (gap > 0 ? " more." : " less."));
  note.textContent = "The model chooses " + parts.join(", and ") + "." + without;
}

// With "auto" the rules prefer the blend, which may cost a little more than another model.
const cheapestWord = data.penalty ? "Choice" : "Cheapest";
function howChosen() {
  const model = nameModel(state.index) + ".";
  if (state.how === "budget") {
    const limit = "at most " + budgetLabel(state.budget) + " " + errorWord;
    return error[state.index] <= state.budget ? cheapestWord + " with " + limit + ": " + model : "No model has " + limit + ". The nearest is " + model;
  }
  if (state.how === "cheapest") return cheapestWord + (state.edited ? " at your prices: " : " of the families shown: ") + model;
  return (nameOf(state.index) || "Selected") + " model: " + model;
}

// Why a model of another family was not chosen although it looks better.
function drawNotChosen(i) {
  const [best, ...others] = isChoice(i) ? data.notChosen : [];
  at("not-chosen").hidden = !best;
  if (!best) return;
  const names = others.map((one) => one.family).join(", ");
  at("not-chosen").textContent = "Why not " + best.family + "? It looks cheaper (" + amount(best.cost) + "), but its lead of " + money(best.difference) + " ± " + money(best.difference_se)
    + " may be chance. softcost chooses the blend unless another family leads by " + money(best.required_lead) + "." + (names ? " The same holds for " + names + "." : "");
}

function drawMeasures(i) {
  const constant = constantAt(state.prices, state.edited);
  const tile = (name, values, format, spread, always) => {
    const rest = [["regular", data.regular], ["hard", data.hard]].filter(([, row]) => row !== null && row !== i);
    const others = rest.map(([word, row]) => make("span", { class: "other " + word }, word + " " + format(values[row])));
    if (Number.isFinite(always)) others.push(make("span", { class: "other constant" }, "always ", make("bdi", {}, constant.label), ": " + format(always)));
    return make("div", { class: "measure" }, make("dt", {}, name),
      make("dd", {}, make("span", { class: "value" }, format(values[i])), spread ? make("span", { class: "spread" }, " ± " + spread) : "", make("span", { class: "others" }, ...others)));
  };
  const always = { cost: constant.cost, [data.error]: constant.error };
  const tiles = measures.map((measure) => tile(titleOf(measure), valuesOf(measure), formatOf(measure), spreadText(measure, i), always[measure.name]));
  const sums = state.cost.map((cost, row) => cost * totals[row]);
  tiles.push(tile("Total cost of " + count(Math.round(totals[i])) + " rows" + (data.currency ? ", " + data.currency : ""), sums, money, "", constant.cost * totals[i]));
  put(at("measures"), ...tiles);
}

// In print: the cost without this model, and with it.
function drawStory(i) {
  const constant = constantAt(state.prices, state.edited), rows = [["Always answering " + constant.label, constant.cost, constant.error]];
  if (data.regular !== null && data.regular !== i) rows.push(["Regular model, trained without prices", state.cost[data.regular], error[data.regular]]);
  rows.push(["This model", state.cost[i], error[i]]);
  const head = ["Cross-validated", "Cost per row", "For " + count(Math.round(totals[i])) + " rows", data.error === "error" ? "Errors" : "Weighted errors"];
  put(at("story"), make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map(([name, cost, wrong]) => make("tr", {}, make("th", { scope: "row" }, name),
      make("td", {}, amount(cost)), make("td", {}, amount(cost * totals[i])), make("td", {}, wrong === null ? "–" : percent(wrong))))));
}
