package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Removes ShedLock's {@code @EnableSchedulerLock}, and says which properties have its
 * defaults.
 *
 * @since 0.1.0
 */
public final class RemoveEnableSchedulerLock extends Recipe {

	private static final String TYPE = "net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock";

	@Override
	public String getDisplayName() {
		return "Remove `@EnableSchedulerLock`";
	}

	@Override
	public String getDescription() {
		return "The starter enables locks by itself. A comment names the properties that take the default durations.";
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor() {
		return Preconditions.check(new UsesType<>(TYPE, false), new Removal());
	}

	private static final class Removal extends JavaIsoVisitor<ExecutionContext> {

		private static final AnnotationMatcher ENABLE = new AnnotationMatcher("@" + TYPE);

		@Override
		public boolean isAcceptable(SourceFile file, ExecutionContext context) {
			return file instanceof J.CompilationUnit;
		}

		@Override
		public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, ExecutionContext context) {
			J.ClassDeclaration visited = super.visitClassDeclaration(type, context);
			J.Annotation enable = visited.getLeadingAnnotations()
				.stream()
				.filter(ENABLE::matches)
				.findFirst()
				.orElse(null);
			if (enable == null) {
				return visited;
			}
			doAfterVisit(new RemoveAnnotationVisitor(ENABLE));
			return visited.withPrefix(
					Remarks.add(visited.getPrefix(), visited.getPrefix().getIndent(), remarks(new Attributes(enable))));
		}

		private static List<String> remarks(Attributes attributes) {
			List<String> remarks = new ArrayList<>();
			Expression most = attributes.get("defaultLockAtMostFor");
			if (most != null) {
				remarks.add("set distributed-lock.ttl%s, the former defaultLockAtMostFor, for all locks without a ttl."
					.formatted(value(most)));
			}
			Expression least = attributes.get("defaultLockAtLeastFor");
			if (least != null) {
				remarks.add(
						"set distributed-lock.locks.<name>.keep-for%s, the former defaultLockAtLeastFor, for each lock "
							.formatted(value(least)) + "without a keepFor.");
			}
			return remarks;
		}

		private static String value(@Nullable Expression duration) {
			String text = Constants.text(duration);
			return (text == null) ? "" : " to " + text;
		}

	}

}
