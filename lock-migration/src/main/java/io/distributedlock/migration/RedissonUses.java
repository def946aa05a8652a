package io.distributedlock.migration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/**
 * All uses of Redisson's client and locks in one file. The file is migrated as a whole or
 * not at all: a lock that leaves it, by a parameter or a result, would not compile
 * elsewhere. Each use that is in the way has a remark on its statement.
 */
final class RedissonUses extends JavaIsoVisitor<Integer> {

	private static final String LEAVES = "the %s is known outside of this file, which can only be changed together.";

	private static final String SHARED = "%s may use this key too, and stays on Redisson: change both together.";

	private static final String LEASE = "a lease time of -1 was renewed without end, and is refused here: leave it out then.";

	private static final Set<String> NAMED = Set.of("Qualifier", "Named", "Resource");

	private static final Set<String> ACCESSORS = Set.of("Getter", "Setter", "Data", "Value", "Builder", "SuperBuilder");

	private static final Set<String> CALLED_BY_SPRING = Set.of("Bean", "Autowired", "Inject");

	private final RedissonRun run;

	private final Map<UUID, List<String>> remarks = new HashMap<>();

	private final Map<UUID, List<String>> hints = new HashMap<>();

	/** The expressions for keys, by the statements that make locks of them. */
	private final Map<UUID, List<Expression>> keys = new LinkedHashMap<>();

	private final Set<String> clientTypes = new HashSet<>();

	private final Set<String> names = new LinkedHashSet<>();

	private final Set<String> clients = new LinkedHashSet<>();

	private final List<UUID> taken = new ArrayList<>();

	private final Set<String> types = new HashSet<>();

	private @Nullable String registry;

	private boolean locks;

	private boolean unlocks;

	private RedissonUses(RedissonRun run) {
		this.run = run;
	}

	/**
	 * Find the uses in a file.
	 * @param run all files; while these are scanned, it misses some
	 */
	static RedissonUses of(J.CompilationUnit unit, RedissonRun run) {
		RedissonUses uses = new RedissonUses(run);
		new JavaIsoVisitor<RedissonUses>() {
			@Override
			public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations variable,
					RedissonUses found) {
				if (isField(getCursor()) && TypeUtils.isOfClassType(variable.getType(), Target.REGISTRY)) {
					found.registry = variable.getVariables().get(0).getSimpleName();
				}
				return variable;
			}
		}.visit(unit, uses);
		uses.visit(unit, 0);
		if (!uses.unlocks) {
			uses.taken.forEach((statement) -> uses.remark(statement,
					"nothing here unlocks: here a lock is renewed, and kept after its use only by keepFor."));
		}
		return uses;
	}

	boolean hasLocks() {
		return this.locks;
	}

	/** Return the remarks by statement; if there are none, the file can be migrated. */
	Map<UUID, List<String>> remarks() {
		return this.remarks;
	}

	/** Return the remarks for statements that are migrated, but may not be enough. */
	Map<UUID, List<String>> hints() {
		return this.hints;
	}

	/** Tell the run of this file. */
	void addTo(RedissonRun run, Path path) {
		if (this.locks) {
			run.add(path, !this.remarks.isEmpty(), this.clientTypes,
					this.keys.values().stream().flatMap(List::stream).toList());
		}
	}

	/** Return the remarks for keys that a file has which stays on Redisson. */
	Map<UUID, List<String>> sharedKeys(Path path) {
		Map<UUID, List<String>> shared = new HashMap<>();
		this.keys.forEach((statement, made) -> {
			List<String> found = made.stream()
				.map((key) -> this.run.stayingWith(path, key))
				.filter(Objects::nonNull)
				.map((other) -> SHARED.formatted(other.toString().replace('\\', '/')))
				.distinct()
				.toList();
			if (!found.isEmpty()) {
				shared.put(statement, found);
			}
		});
		return shared;
	}

	/** Return the field that the file has for the registry, beside the client. */
	@Nullable String registry() {
		return this.registry;
	}

	/** Return a better name for the only client, or {@code null} to keep all names. */
	@Nullable String newName() {
		return (this.registry == null && this.clients.size() == 1 && !this.names.contains("registry")) ? "registry"
				: null;
	}

	@Override
	public J.Import visitImport(J.Import imported, Integer p) {
		return imported;
	}

	@Override
	public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Integer p) {
		if (type.getType() != null) {
			this.types.add(type.getType().getFullyQualifiedName());
		}
		return super.visitClassDeclaration(type, p);
	}

	@Override
	public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations variable, Integer p) {
		Redisson role = Redisson.of(variable.getType());
		if (role != null && !(role == Redisson.CLIENT && this.registry != null)) {
			checkDeclaration(variable, role);
		}
		return super.visitVariableDeclarations(variable, p);
	}

	private void checkDeclaration(J.VariableDeclarations variable, Redisson role) {
		if (role == Redisson.CLIENT) {
			variable.getVariables().forEach((named) -> this.clients.add(named.getSimpleName()));
			this.clientTypes.add(enclosingType());
		}
		Object parent = getCursor().getParentTreeCursor().getValue();
		boolean known = switch (role) {
			case CLIENT -> isField(getCursor()) ? isOwn(variable) && !isConstructed() : parent instanceof J.Block
					|| (parent instanceof J.MethodDeclaration method && isCalledBySpring(method));
			default -> isField(getCursor()) ? isOwn(variable) : parent instanceof J.Block;
		};
		if (!known || variable.getLeadingAnnotations()
			.stream()
			.anyMatch((found) -> NAMED.contains(found.getSimpleName()))) {
			remark(LEAVES.formatted(simpleName(role)));
		}
	}

	/** Lombok may give others a field that is private. */
	private boolean isOwn(J.VariableDeclarations field) {
		J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
		List<J.Annotation> ofType = (type != null) ? type.getLeadingAnnotations() : List.of();
		return field.hasModifier(J.Modifier.Type.Private)
				&& Stream.concat(ofType.stream(), field.getLeadingAnnotations().stream())
					.noneMatch((found) -> ACCESSORS.contains(found.getSimpleName()));
	}

	private boolean isConstructed() {
		return this.run.constructed.contains(enclosingType());
	}

	private String enclosingType() {
		J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
		return (type != null && type.getType() != null) ? type.getType().getFullyQualifiedName() : "";
	}

	private boolean isCalledBySpring(J.MethodDeclaration method) {
		return method.isConstructor() ? !isConstructed()
				: method.getLeadingAnnotations()
					.stream()
					.anyMatch((found) -> CALLED_BY_SPRING.contains(found.getSimpleName()));
	}

	private static boolean isField(Cursor cursor) {
		Cursor parent = cursor.getParentTreeCursor();
		return parent.getValue() instanceof J.Block
				&& parent.getParentTreeCursor().getValue() instanceof J.ClassDeclaration;
	}

	@Override
	public J.Identifier visitIdentifier(J.Identifier identifier, Integer p) {
		this.names.add(identifier.getSimpleName());
		Redisson role = Redisson.of(identifier.getType());
		Object parent = getCursor().getParentTreeCursor().getValue();
		if (role == null || parent instanceof J.FieldAccess || parent instanceof J.VariableDeclarations
				|| isName(identifier, parent)) {
			return identifier;
		}
		if (identifier.getFieldType() != null) {
			checkUse(identifier, role);
		}
		else if (!isResultOfPrivateMethod(parent, role)) {
			unlessTheClientStays(role, LEAVES.formatted(simpleName(role)));
		}
		return identifier;
	}

	private static boolean isName(J.Identifier identifier, Object parent) {
		return (parent instanceof J.VariableDeclarations.NamedVariable named && named.getName() == identifier)
				|| (parent instanceof J.MethodInvocation call && call.getName() == identifier)
				|| (parent instanceof J.MethodDeclaration method && method.getName() == identifier);
	}

	private static boolean isResultOfPrivateMethod(Object parent, Redisson role) {
		return role != Redisson.CLIENT && parent instanceof J.MethodDeclaration method
				&& method.hasModifier(J.Modifier.Type.Private);
	}

	@Override
	public J.FieldAccess visitFieldAccess(J.FieldAccess access, Integer p) {
		Redisson role = Redisson.of(access.getType());
		if (role != null && access.getName().getFieldType() != null) {
			this.names.add(access.getSimpleName());
			checkUse(access, role);
		}
		return super.visitFieldAccess(access, p);
	}

	@Override
	public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Integer p) {
		Expression select = call.getSelect();
		Redisson owner = (select != null) ? Redisson.of(select.getType()) : null;
		if (owner != null) {
			checkCall(call, owner);
		}
		Redisson role = Redisson.of(call.getType());
		if (role != null) {
			checkResult(call, role);
		}
		return super.visitMethodInvocation(call, p);
	}

	private void checkCall(J.MethodInvocation call, Redisson owner) {
		this.locks |= owner != Redisson.CLIENT || Redisson.makesLock(call);
		String remark = isPartOfAGuard() ? null : owner.remark(call);
		if (remark != null && (owner != Redisson.CLIENT || Redisson.makesLock(call))) {
			remark(remark);
		}
		else if (remark != null) {
			unlessTheClientStays(owner, remark);
		}
		if (owner == Redisson.CLIENT && Redisson.makesLock(call)) {
			call.getArguments()
				.stream()
				.filter((argument) -> TypeUtils.isString(argument.getType()))
				.forEach((key) -> this.keys.computeIfAbsent(statement(), (at) -> new ArrayList<>()).add(key));
		}
		hint(call, owner);
		this.unlocks |= call.getSimpleName().equals("unlock");
		if (owner == Redisson.LOCK && call.getSimpleName().matches("(try)?[lL]ock(Interruptibly)?")) {
			this.taken.add(statement());
		}
	}

	private void hint(J.MethodInvocation call, Redisson owner) {
		if (call.getSimpleName().equals("getFairLock")) {
			add(this.hints, statement(), "set distributed-lock.locks.fair.mode to fair: without it this lock is "
					+ "exclusive, in no order.");
		}
		Expression lease = (owner == Redisson.LOCK) ? Redisson.lease(call) : null;
		if (lease != null && this.run.values.number(lease) == null) {
			add(this.hints, statement(), LEASE);
		}
	}

	private boolean isPartOfAGuard() {
		return getCursor().getParentTreeCursor().getValue() instanceof J.Binary binary
				&& Redisson.guard(binary) != null;
	}

	/** A client that is made here is that of the application. */
	private void checkResult(J.MethodInvocation call, Redisson role) {
		JavaType.Method method = call.getMethodType();
		String owner = (method != null) ? method.getDeclaringType().getFullyQualifiedName() : "";
		boolean known = owner.startsWith("org.redisson.") || this.types.contains(owner);
		if (role == Redisson.CLIENT || !known) {
			unlessTheClientStays(role, LEAVES.formatted(simpleName(role)));
		}
		else {
			checkUse(call, role);
		}
	}

	/** Check what becomes of a client or lock. */
	private void checkUse(Expression use, Redisson role) {
		this.locks |= role != Redisson.CLIENT;
		Object parent = getCursor().getParentTreeCursor().getValue();
		boolean stays = parent instanceof J.Block || parent instanceof J.Assignment || parent instanceof J.Binary
				|| parent instanceof J.VariableDeclarations.NamedVariable
				|| (parent instanceof J.MethodInvocation call && call.getSelect() == use)
				|| (parent instanceof J.Return && returnsToThisFile(role));
		if (!stays) {
			unlessTheClientStays(role, LEAVES.formatted(simpleName(role)));
		}
	}

	private boolean returnsToThisFile(Redisson role) {
		J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
		return method != null && isResultOfPrivateMethod(method, role);
	}

	private static String simpleName(Redisson role) {
		return role.type().substring(role.type().lastIndexOf('.') + 1);
	}

	/** With a registry beside it, the client may be used as before. */
	private void unlessTheClientStays(Redisson role, String remark) {
		if (role != Redisson.CLIENT || this.registry == null) {
			remark(remark);
		}
	}

	private void remark(String remark) {
		remark(statement(), remark);
	}

	private void remark(UUID statement, String remark) {
		add(this.remarks, statement, remark);
	}

	private static void add(Map<UUID, List<String>> remarks, UUID statement, String remark) {
		List<String> all = remarks.computeIfAbsent(statement, (key) -> new ArrayList<>());
		if (!all.contains(remark)) {
			all.add(remark);
		}
	}

	/** The statement that begins a line, or the type if it is not in one. */
	private UUID statement() {
		Cursor cursor = getCursor();
		while (!(cursor.getValue() instanceof Statement) || !beginsALine(cursor)) {
			cursor = cursor.getParentTreeCursor();
		}
		return ((J) cursor.getValue()).getId();
	}

	private static boolean beginsALine(Cursor cursor) {
		Object parent = cursor.getParentTreeCursor().getValue();
		return parent instanceof J.Block || parent instanceof J.Case || parent instanceof J.CompilationUnit;
	}

}
