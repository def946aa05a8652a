/**
 * A store that knows nothing of the others and registers itself. Not a part of the
 * library: its tests show what a store of an application needs.
 */
@NullMarked
package com.example.mapstore;

import org.jspecify.annotations.NullMarked;
