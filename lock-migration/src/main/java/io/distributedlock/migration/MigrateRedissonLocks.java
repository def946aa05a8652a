package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.RemoveImport;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;
import org.openrewrite.marker.Markers;

/**
 * Replaces Redisson's {@code RLock} and {@code RReadWriteLock} by those of
 * {@code LockRegistry}, in files where all their uses have an equal. Other files keep
 * their code, and each use that is in the way is marked. A file that may share a key with
 * such a one keeps its code, too, since locks of both libraries do not exclude each
 * other.
 *
 * @since 0.1.0
 */
public final class MigrateRedissonLocks extends ScanningRecipe<RedissonRun> {

	@Override
	public String getDisplayName() {
		return "Replace locks of Redisson by those of `LockRegistry`";
	}

	@Override
	public String getDescription() {
		return "Files whose uses of `RLock` and `RReadWriteLock` all have an equal get a `LockRegistry` in the place of the "
				+ "`RedissonClient`, or use the one that they have. In others, and in those "
				+ "that may share a key with them, what is in the way is marked.";
	}

	@Override
	public RedissonRun getInitialValue(ExecutionContext context) {
		return new RedissonRun();
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(RedissonRun run) {
		return new RedissonScan(run);
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(RedissonRun run) {
		return Preconditions.check(new UsesType<>("org.redisson.api.*", false), new Migration(run));
	}

	private static final class Migration extends JavaVisitor<ExecutionContext> {

		private static final Map<String, String> DURATIONS = Map.of("NANOSECONDS", "ofNanos", "MILLISECONDS",
				"ofMillis", "SECONDS", "ofSeconds", "MINUTES", "ofMinutes", "HOURS", "ofHours", "DAYS", "ofDays");

		private static final String TIME_UNIT = "java.util.concurrent.TimeUnit";

		private final RedissonRun run;

		private @Nullable String registry;

		private @Nullable String newName;

		Migration(RedissonRun run) {
			this.run = run;
		}

		@Override
		public boolean isAcceptable(SourceFile file, ExecutionContext context) {
			return file instanceof J.CompilationUnit;
		}

		@Override
		public J visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
			RedissonUses uses = RedissonUses.of(unit, this.run);
			if (!uses.hasLocks()) {
				return unit;
			}
			Map<UUID, List<String>> inTheWay = uses.remarks().isEmpty() ? uses.sharedKeys(unit.getSourcePath())
					: uses.remarks();
			if (!inTheWay.isEmpty()) {
				return new Marking().visitNonNull(unit, inTheWay);
			}
			this.registry = uses.registry();
			this.newName = uses.newName();
			J marked = new Marking().visitNonNull(unit, uses.hints());
			J migrated = super.visitCompilationUnit((J.CompilationUnit) marked, context);
			changeTypes();
			return migrated;
		}

		private void changeTypes() {
			for (Redisson role : Redisson.values()) {
				if (role != Redisson.CLIENT || this.registry == null) {
					doAfterVisit(new ChangeType(role.type(), role.target(), true).getVisitor());
					doAfterVisit(new ImportRemoval(role.target()));
				}
			}
		}

		@Override
		public J visitIdentifier(J.Identifier identifier, ExecutionContext context) {
			J.Identifier visited = (J.Identifier) super.visitIdentifier(identifier, context);
			JavaType.Variable field = visited.getFieldType();
			if (this.newName == null || field == null || Redisson.of(visited.getType()) != Redisson.CLIENT) {
				return visited;
			}
			return visited.withSimpleName(this.newName).withFieldType(field.withName(this.newName));
		}

		@Override
		public J visitVariable(J.VariableDeclarations.NamedVariable variable, ExecutionContext context) {
			J.VariableDeclarations.NamedVariable visited = (J.VariableDeclarations.NamedVariable) super.visitVariable(
					variable, context);
			JavaType.Variable type = visited.getVariableType();
			return (type != null && this.newName != null)
					? visited.withVariableType(type.withName(visited.getSimpleName())) : visited;
		}

		@Override
		public J visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
			Redisson owner = (call.getSelect() != null) ? Redisson.of(call.getSelect().getType()) : null;
			J.MethodInvocation visited = (J.MethodInvocation) super.visitMethodInvocation(call, context);
			updateCursor(visited);
			if (owner == Redisson.CLIENT && Redisson.GETTERS.contains(visited.getSimpleName())) {
				return getter(visited);
			}
			return (owner == Redisson.LOCK) ? ofLock(visited) : visited;
		}

		@Override
		public J visitBinary(J.Binary binary, ExecutionContext context) {
			J.MethodInvocation guard = Redisson.guard(binary);
			return (guard != null) ? guard.withPrefix(binary.getPrefix()) : super.visitBinary(binary, context);
		}

		private J getter(J.MethodInvocation call) {
			String method = switch (call.getSimpleName()) {
				case "getReadWriteLock" -> "getReadWriteLock(";
				case "getFairLock" -> "getLock(\"fair\", ";
				default -> "getLock(";
			};
			return replace(call, "#{any(io.distributedlock.LockRegistry)}." + method + "#{any(java.lang.String)})",
					registry(call), call.getArguments().get(0));
		}

		private Expression registry(J.MethodInvocation call) {
			Expression client = Objects.requireNonNull(call.getSelect());
			if (this.registry == null) {
				return client;
			}
			return new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), this.registry,
					JavaType.buildType(Target.REGISTRY), null);
		}

		private J ofLock(J.MethodInvocation call) {
			int arguments = Redisson.arguments(call);
			if (call.getSimpleName().equals("getName")) {
				return replace(call, "#{any(io.distributedlock.LeaseLock)}.key()", select(call));
			}
			if (arguments < 2) {
				return call;
			}
			List<Object> values = new ArrayList<>(List.of(select(call)));
			List<String> durations = new ArrayList<>();
			Expression unit = call.getArguments().get(arguments - 1);
			Expression lease = Redisson.lease(call);
			Long leaseTime = (lease != null) ? this.run.values.number(lease) : null;
			boolean isRenewed = leaseTime != null && leaseTime < 0;
			for (Expression amount : call.getArguments().subList(0, arguments - 1)) {
				if (amount != lease || !isRenewed) {
					durations.add(duration(amount, unit, values));
				}
			}
			removeImport(unit);
			return replace(call, "#{any(io.distributedlock.LeaseLock)}.%s(%s)".formatted(call.getSimpleName(),
					String.join(", ", durations)), values.toArray());
		}

		private static Expression select(J.MethodInvocation call) {
			return Objects.requireNonNull(call.getSelect());
		}

		private String duration(Expression amount, Expression unit, List<Object> values) {
			maybeAddImport("java.time.Duration", false);
			Long number = Constants.number(amount);
			if (number != null && number <= 0) {
				return "Duration.ZERO";
			}
			values.add(amount);
			String method = isTimeUnit(unit) ? DURATIONS.get(Constants.name(unit)) : null;
			if (method != null) {
				return "Duration.%s(#{any(long)})".formatted(method);
			}
			values.add(unit);
			return "Duration.of(#{any(long)}, #{any(java.util.concurrent.TimeUnit)}.toChronoUnit())";
		}

		private static boolean isTimeUnit(Expression unit) {
			J.Identifier name = (unit instanceof J.FieldAccess access) ? access.getName()
					: (unit instanceof J.Identifier identifier) ? identifier : null;
			return name != null && name.getFieldType() != null
					&& TypeUtils.isOfClassType(name.getFieldType().getOwner(), TIME_UNIT);
		}

		private void removeImport(Expression unit) {
			maybeRemoveImport(TIME_UNIT);
			String name = Constants.name(unit);
			if (name != null) {
				maybeRemoveImport(TIME_UNIT + "." + name);
			}
		}

		private J replace(J.MethodInvocation call, String code, Object... values) {
			return JavaTemplate.builder(code)
				.imports("java.time.Duration")
				.javaParser(Target.parser())
				.build()
				.apply(getCursor(), call.getCoordinates().replace(), values);
		}

	}

	/** Removes an import whose name nothing writes, as of a variable without its type. */
	private static final class ImportRemoval extends JavaIsoVisitor<ExecutionContext> {

		private final String type;

		private boolean named;

		ImportRemoval(String type) {
			this.type = type;
		}

		@Override
		public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
			super.visitCompilationUnit(unit, context);
			return this.named ? unit : (J.CompilationUnit) new RemoveImport<ExecutionContext>(this.type, true)
				.visitNonNull(unit, context);
		}

		@Override
		public J.Import visitImport(J.Import imported, ExecutionContext context) {
			return imported;
		}

		@Override
		public J.Identifier visitIdentifier(J.Identifier identifier, ExecutionContext context) {
			this.named |= this.type.endsWith("." + identifier.getSimpleName());
			return identifier;
		}

	}

	/** Puts remarks before statements. */
	private static final class Marking extends JavaIsoVisitor<Map<UUID, List<String>>> {

		@Override
		public Statement visitStatement(Statement statement, Map<UUID, List<String>> remarks) {
			Statement visited = super.visitStatement(statement, remarks);
			List<String> found = remarks.getOrDefault(visited.getId(), List.of());
			return visited.withPrefix(Remarks.add(visited.getPrefix(), visited.getPrefix().getIndent(), found));
		}

	}

}
