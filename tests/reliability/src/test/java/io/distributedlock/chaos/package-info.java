/**
 * The chaos run: processes that take locks and record what they see, faults that strike
 * them, the server and the connections between by a seed, and the report of what the
 * checker found. Nothing here decides what is right; that is the history checker's.
 */
package io.distributedlock.chaos;
