// The instances of a run: who holds the lock, and who waits.

import { count, setText, shortened } from "./format.js";

const STATES = {
  starting: "starting",
  selling: "",
  frozen: "frozen",
  killed: "killed, its buyers are gone",
  cut: "cut off from Redis",
  done: "",
};

const MOST_FIGURES = 24;

export class InstanceList {

  constructor(list, lock) {
    this.list = list;
    this.lock = lock;
  }

  show(run, holds) {
    while (this.list.children.length > run.instances.length) {
      this.list.lastElementChild.remove();
    }
    run.instances.forEach((instance, index) => {
      const item = this.list.children[index] ?? this.list.appendChild(create());
      this.showOne(item, instance, run.state === "selling" ? holds.heldBy(instance.number) : undefined);
    });
  }

  showOne(item, instance, hold) {
    const killed = instance.state === "killed";
    const racing = !this.lock && instance.shopping > 0;
    const waiting = killed ? 0 : Math.max(0, instance.shopping - (hold ? 1 : 0));
    item.className = ["instance", instance.state, hold && !killed ? "holds" : "", racing ? "racing" : ""].join(" ").trim();
    setText(item.querySelector(".head b"), ["Instance " + instance.number, STATES[instance.state]].filter(Boolean).join(" – "));
    setText(item.querySelector(".head span"), tally(instance));
    setText(item.querySelector(".counter"), killed ? "killed" : this.counter(instance, hold, racing));
    setText(item.querySelector(".waits"), this.waits(waiting));
    showPeople(item.querySelector(".people"), waiting, instance.sold);
  }

  counter(instance, hold, racing) {
    if (hold) {
      return "holds, token " + shortened(hold.token);
    }
    if (racing) {
      return instance.shopping + " buy at once";
    }
    return this.lock && instance.shopping > 0 ? "waits for the lock" : "idle";
  }

  waits(waiting) {
    return this.lock && waiting > 0 ? waiting + " in line" : "";
  }

}

function tally({ sold, soldOut, failed }) {
  return `${count(sold)} sold, ${count(soldOut)} found it sold out` + (failed > 0 ? `, ${count(failed)} refused` : "");
}

function create() {
  const item = document.createElement("li");
  item.innerHTML = '<div class="head"><b></b><span></span></div>'
    + '<div class="queue"><span class="counter"></span><span class="people" aria-hidden="true"></span><span class="waits"></span></div>';
  return item;
}

/** The queue moves on when something was sold. */
function showPeople(people, waiting, sold) {
  const wanted = Math.min(waiting, MOST_FIGURES);
  while (people.children.length > wanted) {
    people.lastElementChild.remove();
  }
  while (people.children.length < wanted) {
    people.append(document.createElement("i"));
  }
  if (people.dataset.sold !== String(sold)) {
    people.dataset.sold = String(sold);
    people.classList.remove("moved");
    void people.offsetWidth;
    people.classList.add("moved");
  }
}
