package io.distributedlock.autoconfigure;

import io.distributedlock.engine.EngineSettings;

/**
 * Changes the settings of the engine, also those that have no property. Beans of this
 * type are applied in their order, after the properties.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockEngineCustomizer {

	/**
	 * Change the settings.
	 * @param settings what the properties and the customizers before said
	 * @return the settings to use
	 */
	EngineSettings customize(EngineSettings settings);

}
