/**
 * Messages of a start in which locks cannot work: exceptions of the auto-configuration,
 * analyzers of failures, and a warning of unguarded methods. Internal to the
 * auto-configuration, on which it does not depend.
 */
@NullMarked
package io.distributedlock.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
