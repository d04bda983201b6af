-- Which event triggers there were when tables were read: while one of them was missing or disabled, a change may have passed unnoticed, and everything is read
-- again.
alter table sync.state add column event_triggers text;
