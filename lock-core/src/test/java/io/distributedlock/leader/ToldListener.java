package io.distributedlock.leader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes the calls, with the token of each leadership. */
class ToldListener implements LeaderListener {

	final List<String> told = new CopyOnWriteArrayList<>();

	final List<Leadership> granted = new CopyOnWriteArrayList<>();

	@Override
	public void granted(Leadership leadership) {
		this.granted.add(leadership);
		this.told.add("granted " + this.granted.size());
	}

	@Override
	public void revoked(Leadership leadership) {
		this.told.add("revoked " + (this.granted.indexOf(leadership) + 1));
	}

}
