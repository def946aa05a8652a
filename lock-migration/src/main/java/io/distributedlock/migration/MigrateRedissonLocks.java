package io.distributedlock.migration;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
 * their code, and each use that is in the way is marked.
 *
 * @since 0.1.0
 */
public final class MigrateRedissonLocks extends ScanningRecipe<Set<String>> {

	@Override
	public String getDisplayName() {
		return "Replace locks of Redisson by those of `LockRegistry`";
	}

	@Override
	public String getDescription() {
		return "Files whose uses of `RLock` and `RReadWriteLock` all have an equal get a `LockRegistry` in the place of the "
				+ "`RedissonClient`, or use the one that they have. In others, what is in the way is marked.";
	}

	@Override
	public Set<String> getInitialValue(ExecutionContext context) {
		return new HashSet<>();
	}

	/** Types that code constructs with a client: their constructors have to stay. */
	@Override
	public TreeVisitor<?, ExecutionContext> getScanner(Set<String> constructed) {
		return new JavaIsoVisitor<ExecutionContext>() {
			@Override
			public J.NewClass visitNewClass(J.NewClass made, ExecutionContext context) {
				add(constructed, made.getType(), made.getConstructorType(), made.getArguments());
				return super.visitNewClass(made, context);
			}

			@Override
			public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
				JavaType.Method method = call.getMethodType();
				if (call.getSimpleName().equals("super") && method != null) {
					add(constructed, method.getDeclaringType(), method, call.getArguments());
				}
				return super.visitMethodInvocation(call, context);
			}
		};
	}

	/** A constructor that Lombok makes may be unknown: then its arguments tell. */
	private static void add(Set<String> constructed, @Nullable JavaType type, JavaType.@Nullable Method constructor,
			List<Expression> arguments) {
		JavaType.FullyQualified made = TypeUtils.asFullyQualified(type);
		boolean takesClient = arguments.stream()
			.anyMatch((argument) -> Redisson.of(argument.getType()) == Redisson.CLIENT)
				|| (constructor != null && constructor.getParameterTypes()
					.stream()
					.anyMatch((parameter) -> Redisson.of(parameter) == Redisson.CLIENT));
		if (made != null && takesClient) {
			constructed.add(made.getFullyQualifiedName());
		}
	}

	@Override
	public TreeVisitor<?, ExecutionContext> getVisitor(Set<String> constructed) {
		return Preconditions.check(new UsesType<>("org.redisson.api.*", false), new Migration(constructed));
	}

	private static final class Migration extends JavaVisitor<ExecutionContext> {

		private static final Map<String, String> DURATIONS = Map.of("NANOSECONDS", "ofNanos", "MILLISECONDS",
				"ofMillis", "SECONDS", "ofSeconds", "MINUTES", "ofMinutes", "HOURS", "ofHours", "DAYS", "ofDays");

		private static final String TIME_UNIT = "java.util.concurrent.TimeUnit";

		private final Set<String> constructed;

		private @Nullable String registry;

		private @Nullable String newName;

		Migration(Set<String> constructed) {
			this.constructed = constructed;
		}

		@Override
		public boolean isAcceptable(SourceFile file, ExecutionContext context) {
			return file instanceof J.CompilationUnit;
		}

		@Override
		public J visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
			RedissonUses uses = RedissonUses.of(unit, this.constructed);
			if (!uses.hasLocks()) {
				return unit;
			}
			if (!uses.remarks().isEmpty()) {
				return new Marking().visitNonNull(unit, uses.remarks());
			}
			this.registry = uses.registry();
			this.newName = uses.newName();
			J marked = new Marking().visitNonNull(unit, uses.fairLocks());
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
			boolean leads = call.getSimpleName().equals("tryLock");
			for (int i = 0; i < arguments - 1; i++) {
				Expression amount = call.getArguments().get(i);
				boolean isLease = i > 0 || !leads;
				Long number = Constants.number(amount);
				if (!isLease || number == null || number >= 0) {
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
