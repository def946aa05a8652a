package io.distributedlock.autoconfigure;

import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/** Imports the configuration of every store on the class path. */
final class LockStoreTypeSelector implements ImportSelector, BeanClassLoaderAware {

	private @Nullable ClassLoader classLoader;

	@Override
	public void setBeanClassLoader(ClassLoader classLoader) {
		this.classLoader = classLoader;
	}

	@Override
	public String[] selectImports(AnnotationMetadata importing) {
		return StreamSupport.stream(ImportCandidates.load(LockStoreType.class, this.classLoader).spliterator(), false)
			.toArray(String[]::new);
	}

}
