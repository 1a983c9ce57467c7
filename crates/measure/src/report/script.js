"use strict";
(() => {
  const tip = document.getElementById("tip");
  const show = (event) => {
    const target = event.target.closest("[data-tip]");
    if (!target) { tip.style.visibility = "hidden"; return; }
    tip.textContent = target.dataset.tip;
    const { width, height } = tip.getBoundingClientRect();
    const x = Math.min(Math.max(8, event.clientX - width / 2), innerWidth - width - 8);
    const above = event.clientY - height - 14;
    tip.style.left = `${x}px`;
    tip.style.top = `${above > 4 ? above : event.clientY + 18}px`;
    tip.style.visibility = "visible";
  };
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("scroll", () => { tip.style.visibility = "hidden"; }, { passive: true });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  document.getElementById("save").addEventListener("click", () => {
    const data = document.getElementById("figures").textContent;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data], { type: "application/json" }));
    link.download = "setwise-measure.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
})();
