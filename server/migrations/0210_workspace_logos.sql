-- The logo of a workspace, for printed records and views. It is part of the workspace's row, which every member's device has: so it is there offline, and its
-- readers are those of the workspace.

alter table holdfast.workspaces add column if not exists logo text;

do $$
begin
  if not exists (select from pg_catalog.pg_constraint where conname = 'holdfast_workspaces_logo') then
    -- No SVG, which can contain scripts. The length is that of 72 kB in base64.
    alter table holdfast.workspaces add constraint holdfast_workspaces_logo
      check (length(logo) <= 98304 and logo ~ '^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$');
  end if;
end
$$;

comment on column holdfast.workspaces.logo is 'Logo. An image as a data URL: PNG, JPEG or WebP of at most 72 kB.';
comment on constraint holdfast_workspaces_logo on holdfast.workspaces is 'A logo is a PNG, JPEG or WebP image of at most 72 kB.';

grant update (logo) on holdfast.workspaces to authenticated;
