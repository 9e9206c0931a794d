"use strict";
// Lets a reader step through the stream that is shown in an element.
function steps(root) {
  const form = root.querySelector("form.steps");
  const [range, output] = [form.querySelector("input"), form.querySelector("output")];
  const pieces = [...root.querySelectorAll("[data-step]")];
  const last = Number(range.max);
  let timer = 0;

  function show(step) {
    range.value = step;
    output.textContent = `step ${range.value} of ${last}`;
    for (const piece of pieces) piece.classList.toggle("later", Number(piece.dataset.step) > range.valueAsNumber);
    if (range.valueAsNumber === last) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    form.querySelector(".play").textContent = "play";
  }

  function play() {
    if (timer) return stop();
    if (range.valueAsNumber === last) show(0);
    form.querySelector(".play").textContent = "pause";
    timer = setInterval(() => show(range.valueAsNumber + 1), 120);
  }

  form.querySelector(".back").addEventListener("click", () => { stop(); show(range.valueAsNumber - 1); });
  form.querySelector(".on").addEventListener("click", () => { stop(); show(range.valueAsNumber + 1); });
  form.querySelector(".play").addEventListener("click", play);
  range.addEventListener("input", () => { stop(); show(range.valueAsNumber); });
  form.hidden = false;
  show(last);
}
