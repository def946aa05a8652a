// Starts sales and faults, and says what can be done now.

import { count, seconds, setText } from "./format.js";

export class Controls {

  constructor() {
    this.form = document.getElementById("start");
    this.submit = this.form.querySelector("button");
    this.summary = document.getElementById("summary");
    this.victim = document.getElementById("victim");
    this.hint = document.getElementById("fault-hint");
    this.buttons = [...document.querySelectorAll("[data-fault]")];
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (isEnabled(this.submit)) {
        this.start();
      }
    });
    this.buttons.forEach((button) => button.addEventListener("click", () => {
      if (isEnabled(button)) {
        this.fault(button.dataset.fault);
      }
    }));
    this.showVictims(2);
  }

  async start() {
    const values = new FormData(this.form);
    const number = (name) => Number(values.get(name));
    await this.post("sale", this.summary, {
      buyers: number("buyers"),
      stock: number("stock"),
      instances: number("instances"),
      paceMillis: number("paceMillis"),
      compare: values.get("compare") === "true",
      locks: values.get("locks"),
    });
  }

  async fault(fault) {
    const instance = Number(this.victim.querySelector(":checked").value);
    await this.post("sale/faults", this.hint, { fault, instance });
  }

  async post(url, hint, body) {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    hint.classList.toggle("error", !answer.ok);
    if (!answer.ok) {
      const problem = await answer.json();
      setText(hint, problem.detail ?? "That was refused");
    }
  }

  show(board) {
    enable(this.submit, !board.busy);
    const selling = board.with.state === "selling";
    const telling = board.story.length > 0 && !board.story[0].done;
    const alive = board.with.instances.filter((instance) => instance.state === "selling");
    this.buttons.forEach((button) => {
      enable(button, selling && !telling && alive.length > 0 && isPossible(button.dataset.fault, board));
    });
    this.showPlaces(board.postgres);
    if (board.with.instances.length > 0) {
      this.showVictims(board.with.instances.length);
    }
    if (!this.summary.classList.contains("error") || board.busy) {
      this.summary.classList.remove("error");
      setText(this.summary, summary(board));
    }
    this.showHint(selling, telling, board.with);
  }

  showHint(selling, telling, run) {
    if (selling || telling) {
      this.hint.classList.remove("error");
    }
    if (!this.hint.classList.contains("error")) {
      const fast = selling && run.paceMillis === 0 ? " At full speed the sale may be over before." : "";
      setText(this.hint, telling ? "A fault is going on." : selling ? "The lock is in use: choose what breaks." + fast
        : "The buttons work while the sale with the lock runs.");
    }
  }

  /** Says so where there is no PostgreSQL. */
  showPlaces(postgres) {
    const database = this.form.elements.locks.querySelector("[value=IN_DATABASE]");
    database.disabled = !postgres;
    if (!postgres) {
      setText(database, "in the database: no PostgreSQL for this machine");
    }
  }

  showVictims(instances) {
    const labels = [...this.victim.querySelectorAll("label")];
    labels.slice(instances).forEach((label) => label.remove());
    for (let number = labels.length + 1; number <= instances; number++) {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = "victim";
      input.value = number;
      input.checked = number === 1;
      label.append(input, "Instance " + number);
      this.victim.append(label);
    }
    if (!this.victim.querySelector(":checked")) {
      this.victim.querySelector("input").checked = true;
    }
  }

}

/** Faults of Redis do not reach locks that are in the database. */
function isPossible(fault, board) {
  return (fault !== "RESTART_REDIS" || board.redis)
    && (board.with.locks === "IN_REDIS" || fault === "FREEZE" || fault === "KILL");
}

/** The attribute "disabled" would take the focus from the button that was just pressed. */
function enable(button, enabled) {
  button.setAttribute("aria-disabled", String(!enabled));
}

function isEnabled(button) {
  return button.getAttribute("aria-disabled") !== "true";
}

/** One sentence; it changes with the phases of a sale and not with each order. */
function summary({ without, with: locked, busy }) {
  if (without.state === "starting" || locked.state === "starting") {
    return "Starting the instances, each a process of its own …";
  }
  if (locked.state === "selling") {
    return "Selling with the lock.";
  }
  if (without.state === "selling") {
    return "Selling without a lock.";
  }
  if (without.state === "done" && !without.earlier && locked.state === "done" && locked.paceMillis === 0) {
    return `Oversold without the lock: ${count(without.figures.oversold)} in ${seconds(without.millis)}. `
      + `With the lock: ${count(locked.figures.oversold)} in ${seconds(locked.millis)}.`;
  }
  if (locked.state === "done") {
    const time = locked.paceMillis === 0 ? ` in ${seconds(locked.millis)}.` : ". In slow motion times mean nothing.";
    return `Oversold with the lock: ${count(locked.figures.oversold)}${time}`;
  }
  return busy ? "A sale is on." : "Nothing is being sold.";
}
