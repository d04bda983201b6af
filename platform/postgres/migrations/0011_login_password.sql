-- The password of `authenticator`, from which those of the other roles that log in follow: servers with data folders of their own learn it here, instead of
-- setting one each and locking the others out. It opens no more than what is stored beside it, such as the keys that sign tokens.
create table if not exists holdfast.login_passwords (
  role name primary key,
  password text not null
);
comment on table holdfast.login_passwords is 'How the servers of this database log in. For nobody but Holdfast.';
revoke all on holdfast.login_passwords from public, anon, authenticated, service_role;
