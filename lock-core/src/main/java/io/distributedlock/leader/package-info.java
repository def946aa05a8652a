/**
 * Leader election on locks: one instance leads a role for as long as its lease holds, and
 * the others wait in line. Needs a registry and no more of it than its public methods; it
 * cannot keep two from leading while the store forgets data.
 */
@NullMarked
package io.distributedlock.leader;

import org.jspecify.annotations.NullMarked;
