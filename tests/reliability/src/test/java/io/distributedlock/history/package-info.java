/**
 * The events of a run, written down by every process, and the check whether they may have
 * happened: the recorder, a witness that shares nothing with the locks, and the checker.
 * A history of any lock with leases and tokens can be checked: only
 * {@link io.distributedlock.history.RecordingStore} knows the library.
 */
package io.distributedlock.history;
