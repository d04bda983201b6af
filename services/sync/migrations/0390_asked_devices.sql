-- What an operator asks of a device whose stream another server has. That server is notified, and takes it from here.
alter table sync.devices add column asked text check (asked in ('end', 'resync'));
alter table sync.devices add column asked_at timestamptz;
