package io.distributedlock.modulith;

/** An event of which a publication is stored for each listener. */
record OrderPlaced(long order) {

}
