package io.distributedlock.migration;

import java.util.List;

import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/** Comments in the migrated source that tell a person what is left to decide. */
final class Remarks {

	/** The beginning of each remark, by which they are found. */
	private static final String BEGIN = " TODO lock-migration: ";

	private Remarks() {
	}

	/**
	 * Add remarks behind the comments that a tree has. One that is there already is not
	 * added again, so that a second run changes nothing.
	 * @param prefix the space before the tree
	 * @param indent the white space in front of the line of the tree
	 * @param remarks the remarks without their beginning
	 * @return the space with the remarks, or the same one
	 */
	static Space add(Space prefix, String indent, List<String> remarks) {
		Space result = prefix;
		for (String remark : remarks) {
			result = add(result, indent, remark);
		}
		return result;
	}

	private static Space add(Space prefix, String indent, String remark) {
		if (contains(prefix, remark)) {
			return prefix;
		}
		Comment comment = new TextComment(false, BEGIN + remark, "\n" + indent, Markers.EMPTY);
		return prefix.withComments(ListUtils.concat(prefix.getComments(), comment));
	}

	static boolean contains(Space prefix, String remark) {
		return prefix.getComments()
			.stream()
			.anyMatch((comment) -> comment instanceof TextComment found && found.getText().equals(BEGIN + remark));
	}

}
