-- No constraint here does the lock's work: no check on the quantity, no version, no unique number.
create table if not exists stock (
	item varchar(100) primary key,
	quantity integer not null,
	price numeric(12, 2) not null,
	fence bigint not null
);

create table if not exists orders (
	number bigint not null,
	item varchar(100) not null,
	buyer varchar(100) not null,
	price numeric(12, 2) not null
);

create index if not exists orders_number on orders (number);
