-- Not part of GoTrue, which sends while the request waits. Here a mail or text message is written in the transaction that needs it and
-- sent after: a slow mail server delays nobody, a crash loses nothing, and the time of an answer does not tell whether there was
-- anybody to write to. Without a mail server the row is the captured message.
create table auth.messages (
  id uuid not null default gen_random_uuid(),
  channel text not null,
  kind text not null,
  user_id uuid,
  recipient text not null,
  subject text not null default '',
  html text not null default '',
  body text not null,
  -- What the message was made from (the code, the link), for whoever reads captured messages. Emptied when a message is sent for real.
  variables jsonb not null default '{}',
  status text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  constraint messages_pkey primary key (id),
  constraint messages_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint messages_channel_check check (channel in ('mail', 'sms')),
  constraint messages_status_check check (status in ('captured', 'queued', 'sent', 'failed'))
);
create index messages_created_at_idx on auth.messages using btree (created_at desc);
create index messages_queued_idx on auth.messages using btree (next_attempt_at) where status = 'queued';

alter table auth.messages enable row level security;
revoke all on auth.messages from public, anon, authenticated, service_role;
