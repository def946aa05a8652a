package io.distributedlock.interceptor;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Finds in the byte code of a class which of its methods call guarded ones of the same
 * object. A method in which another object of the class could be at hand, such as a
 * reference to its own proxy, is left out: better no warning than a wrong one.
 */
final class SelfCalls extends ClassVisitor {

	private static final Log logger = LogFactory.getLog(SelfCalls.class);

	private final String owner;

	private final Set<String> guarded;

	private final Map<String, Set<String>> calls = new TreeMap<>();

	private SelfCalls(String owner, Set<String> guarded) {
		super(SpringAsmInfo.ASM_VERSION);
		this.owner = owner;
		this.guarded = guarded;
	}

	/**
	 * Find the calls.
	 * @param type the class to read, without its superclasses
	 * @param guarded names and descriptors of guarded methods
	 * @return callers and the guarded methods that each calls, with their parameters
	 */
	static Map<String, Set<String>> find(Class<?> type, Set<String> guarded) {
		SelfCalls found = new SelfCalls(Type.getInternalName(type), guarded);
		try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			if (file != null) {
				new ClassReader(file).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
			}
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Not looking for self-invocations in " + type, ex);
		}
		return found.calls;
	}

	@Override
	public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
			String @Nullable [] exceptions) {
		return new Body(caller(name, descriptor), mentionsOwner(descriptor.substring(0, descriptor.indexOf(')'))));
	}

	/** The code of a lambda is in a method of its own, with other parameters. */
	private static String caller(String method, String descriptor) {
		return method.startsWith("lambda$") ? method.split("\\$")[1] : withParameters(method, descriptor);
	}

	private static String withParameters(String method, String descriptor) {
		return Arrays.stream(Type.getArgumentTypes(descriptor))
			.map(Type::getClassName)
			.collect(Collectors.joining(",", method + "(", ")"));
	}

	private boolean mentionsOwner(String descriptor) {
		return descriptor.contains("L" + this.owner + ";");
	}

	private final class Body extends MethodVisitor {

		private final String caller;

		private final Set<String> called = new TreeSet<>();

		private boolean others;

		private Body(String caller, boolean others) {
			super(SpringAsmInfo.ASM_VERSION);
			this.caller = caller;
			this.others = others;
		}

		@Override
		public void visitFieldInsn(int opcode, String type, String name, String descriptor) {
			this.others |= mentionsOwner(descriptor);
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			this.others |= type.equals(SelfCalls.this.owner);
		}

		@Override
		public void visitMethodInsn(int opcode, String type, String name, String descriptor, boolean isInterface) {
			this.others |= mentionsOwner(Type.getReturnType(descriptor).getDescriptor());
			if (opcode == Opcodes.INVOKEVIRTUAL) {
				note(type, name, descriptor);
			}
		}

		@Override
		public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
			for (Object argument : arguments) {
				if (argument instanceof Handle reference && reference.getTag() == Opcodes.H_INVOKEVIRTUAL) {
					note(reference.getOwner(), reference.getName(), reference.getDesc());
				}
			}
		}

		private void note(String type, String name, String descriptor) {
			if (type.equals(SelfCalls.this.owner) && SelfCalls.this.guarded.contains(name + descriptor)) {
				this.called.add(withParameters(name, descriptor));
			}
		}

		@Override
		public void visitEnd() {
			if (!this.others && !this.called.isEmpty()) {
				SelfCalls.this.calls.computeIfAbsent(this.caller, (missing) -> new TreeSet<>()).addAll(this.called);
			}
		}

	}

}
