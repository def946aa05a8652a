package io.distributedlock.faults;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/**
 * Lets all Java code of a process, the JDK's included, see a shifted wall clock, and the
 * code of the locks a monotonic clock that may have stood still.
 */
public final class ClockAgent implements ClassFileTransformer {

	private static final String SHIFTED = "io/distributedlock/faults/ShiftedClock";

	/** The code of the locks, and not of those who watch them. */
	private static final Pattern LOCKS = Pattern.compile("io/distributedlock/(?!chaos|faults|history).*");

	private ClockAgent() {
	}

	/**
	 * Called by the JVM before main.
	 * @param file where the shift is
	 * @param instrumentation the JVM's
	 */
	public static void premain(String file, Instrumentation instrumentation)
			throws IOException, UnmodifiableClassException {
		ShiftedClock.follow(Path.of(file));
		instrumentation.addTransformer(new ClockAgent(), true);
		for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
			if (instrumentation.isModifiableClass(loaded) && !loaded.isArray() && looksAtTheClock(loaded)) {
				instrumentation.retransformClasses(loaded);
			}
		}
	}

	/** Most do not, and there are many. */
	private static boolean looksAtTheClock(Class<?> loaded) throws IOException {
		try (var code = ClassLoader.getSystemResourceAsStream(loaded.getName().replace('.', '/') + ".class")) {
			return code != null && looksAtTheClock(code.readAllBytes());
		}
	}

	private static boolean looksAtTheClock(byte[] code) {
		String text = new String(code, StandardCharsets.ISO_8859_1);
		return text.contains("currentTimeMillis") || text.contains("getNanoTimeAdjustment")
				|| text.contains("parkUntil");
	}

	private static boolean isOfLocks(@Nullable String name) {
		return name != null && LOCKS.matcher(name).matches();
	}

	@Override
	public byte @Nullable [] transform(@Nullable ClassLoader loader, @Nullable String name,
			@Nullable Class<?> redefined, @Nullable ProtectionDomain domain, byte[] code) {
		if (SHIFTED.equals(name) || (!isOfLocks(name) && !looksAtTheClock(code))) {
			return null;
		}
		try {
			ClassReader reader = new ClassReader(code);
			ClassWriter writer = new ClassWriter(reader, 0);
			reader.accept(new Shifting(writer, isOfLocks(name)), 0);
			return writer.toByteArray();
		}
		catch (RuntimeException ex) {
			// The JVM would swallow it, and the class would see the real clock.
			ex.printStackTrace();
			Runtime.getRuntime().halt(1);
			throw ex;
		}
	}

	/** Adds the calls. */
	private static final class Shifting extends ClassVisitor {

		/** {@code true} if the monotonic clock is replaced, too. */
		private final boolean monotonic;

		Shifting(ClassVisitor next, boolean monotonic) {
			super(SpringAsmInfo.ASM_VERSION, next);
			this.monotonic = monotonic;
		}

		private boolean isReplaced(String owner, String method) {
			return this.monotonic && method.equals("nanoTime") && owner.equals("java/lang/System");
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
				String[] exceptions) {
			MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
			return new MethodVisitor(SpringAsmInfo.ASM_VERSION, next) {

				@Override
				public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
					if (method.equals("parkUntil") && owner.equals("java/util/concurrent/locks/LockSupport")) {
						shift("realMillis");
					}
					super.visitMethodInsn(opcode, isReplaced(owner, method) ? SHIFTED : owner, method, type,
							isInterface);
					if (method.equals("currentTimeMillis") && owner.equals("java/lang/System")) {
						shift("shiftMillis");
					}
					else if (method.equals("getNanoTimeAdjustment") && owner.equals("jdk/internal/misc/VM")) {
						shift("shiftNanos");
					}
				}

				private void shift(String by) {
					super.visitMethodInsn(Opcodes.INVOKESTATIC, SHIFTED, by, "(J)J", false);
				}

				@Override
				public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... arguments) {
					for (int i = 0; i < arguments.length; i++) {
						if (arguments[i] instanceof Handle handle && handle.getOwner().equals("java/lang/System")
								&& (handle.getName().equals("currentTimeMillis")
										|| isReplaced(handle.getOwner(), handle.getName()))) {
							arguments[i] = new Handle(Opcodes.H_INVOKESTATIC, SHIFTED, handle.getName(), "()J", false);
						}
					}
					super.visitInvokeDynamicInsn(method, type, bootstrap, arguments);
				}

			};
		}

	}

}
