/**
 * Messages of a start that fails because locks cannot work: exceptions of the
 * auto-configuration, and the one analyzer that explains these and others. Internal to
 * the auto-configuration, on which it does not depend.
 */
@NullMarked
package io.distributedlock.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
