/**
 * The chaos run: processes that take locks and record all that they see, faults that
 * strike them, the server and the connections between by a seed, and the report of the
 * checker's findings. Nothing here decides about right and wrong; that is the history
 * checker's.
 */
package io.distributedlock.chaos;
