CREATE TABLE IF NOT EXISTS distributed_lock (
	name text COLLATE "C" PRIMARY KEY,
	state text NOT NULL,
	owners text[] NOT NULL,
	token bigint NOT NULL,
	expires timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE distributed_lock IS 'distributed-lock 1';
