// What is known of the lock, or of purchases without one, in the last seconds.

/** Microseconds that are kept. */
const KEPT = 20_000_000;

export class Holds {

  constructor() {
    this.clear();
  }

  clear() {
    /** Holds of the lock by token. */
    this.byToken = new Map();
    /** Purchases without a lock. */
    this.purchases = [];
    this.latest = 0;
    this.latestArrived = 0;
    this.changed = true;
  }

  add(events) {
    events.forEach((event) => this.addOne(event));
    if (events.length > 0) {
      this.changed = true;
      this.forget();
    }
  }

  addOne(event) {
    if (event.at > this.latest) {
      this.latest = event.at;
      this.latestArrived = performance.now();
    }
    if (event.kind === "BOUGHT") {
      this.purchases.push({ instance: event.instance, from: event.at - event.micros, to: event.at });
      return;
    }
    const hold = this.of(event);
    if (event.kind === "ACQUIRED") {
      hold.from = event.at;
      hold.source = event.text;
    }
    else if (event.kind === "RELEASED") {
      hold.to = event.at;
    }
    else if (event.kind === "LOST") {
      hold.to = event.at;
      hold.lost = true;
    }
    else if (event.kind === "REFUSED") {
      hold.refused = event.at;
    }
  }

  of({ token, instance, at, micros }) {
    let hold = this.byToken.get(token);
    if (!hold) {
      hold = { token, instance, from: at - micros, to: undefined, source: "STORE", lost: false };
      this.byToken.set(token, hold);
    }
    return hold;
  }

  forget() {
    const oldest = this.latest - KEPT;
    this.purchases = this.purchases.filter((purchase) => purchase.to > oldest);
    for (const [token, hold] of this.byToken) {
      if ((hold.to ?? hold.from) < oldest && (hold.to !== undefined || hold.refused)) {
        this.byToken.delete(token);
      }
    }
  }

  /** All holds in the order of their tokens, which is that of Redis. */
  inOrder() {
    return [...this.byToken.values()].sort((one, other) => Number(one.token) - Number(other.token));
  }

  /**
   * What the instance holds, or nothing. Reports of instances come one after the other, so a hold is over as soon as
   * a later one is known, unless it was lost: then its holder goes on until it notices.
   */
  heldBy(instance) {
    const held = this.inOrder().at(-1);
    return held && held.instance === instance && held.to === undefined ? held : undefined;
  }

  /** The time on the clock of the instances, which may not be that of the browser. */
  now() {
    return this.latest === 0 ? 0 : this.latest + (performance.now() - this.latestArrived) * 1000;
  }

}
