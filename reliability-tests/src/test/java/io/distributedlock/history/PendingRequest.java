package io.distributedlock.history;

/**
 * A request without answer.
 *
 * @param invoked its call
 * @param floor the highest token that anybody had been given before
 * @param floorGrant the acquisition of that token, or {@code null}
 */
record PendingRequest(Event invoked, long floor, Event floorGrant) {
}
