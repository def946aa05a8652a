/**
 * What happened in a run, written down by every process, and whether it may have
 * happened: the recorder, a witness that shares nothing with the locks, and the checker.
 * Nothing here knows how a lock works; a history of any lock with leases and tokens can
 * be checked.
 */
package io.distributedlock.history;
