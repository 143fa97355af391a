
"use strict";
const rows = document.getElementById("rows");
const answer = document.getElementById("answer");
document.getElementById("ask").addEventListener("click", async () => {
  answer.textContent = "...";
  try {
    const response = await fetch("predict", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: rows.value,
    });
    const found = await response.json();
    const status = response.ok ? "" : `${response.status}: `;
    answer.textContent = status + (found.error || JSON.stringify(found, null, 2));
  } catch (problem) {
    answer.textContent = "The service does not answer. Is it still running?";
  }
});
