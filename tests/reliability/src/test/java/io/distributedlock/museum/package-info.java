/**
 * Bugs that other lock libraries have had, put into this one to see which test notices:
 * mutants of the sources as data, and the code that applies, compiles and runs them.
 */
package io.distributedlock.museum;
