-- Files of photos and videos. Who sees the row of a photo gets its bytes; the policies of the table are the only rule.

alter table public.photos
  add column path text,
  -- The app takes videos because of the kinds that are listed here.
  add column media_type text constraint photos_media_type_form check (media_type in (
    'image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'video/quicktime', 'video/webm')),
  add column size integer constraint photos_size_range check (size >= 0),
  add column width integer constraint photos_width_range check (width > 0),
  add column height integer constraint photos_height_range check (height > 0),
  add column uploaded_at timestamptz,
  -- A row that named the file of another photo would give its reader those bytes. The pictures of the sample itself are shared by many rows.
  add constraint photos_path_is_own check (
    path like 'northline/%' or path like created_by::text || '/' || id::text || '.%');
create index photos_path_idx on public.photos (path);

comment on column public.photos.path is 'File. Key of the object in the bucket record-photos.';
comment on column public.photos.media_type is 'Kind of file.';
comment on column public.photos.size is 'Size. In bytes.';
comment on column public.photos.width is 'Width. In pixels.';
comment on column public.photos.height is 'Height. In pixels.';
comment on column public.photos.uploaded_at is 'Uploaded at. Empty while the file is only on the device that took it.';
comment on constraint photos_path_is_own on public.photos is 'A photo names its own file.';
comment on constraint photos_media_type_form on public.photos is 'A photo is a picture (JPEG, PNG, WebP) or a video (MP4, MOV, WebM).';
comment on constraint photos_size_range on public.photos is 'A size is not negative.';
comment on constraint photos_width_range on public.photos is 'A width is above zero.';
comment on constraint photos_height_range on public.photos is 'A height is above zero.';

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('record-photos', 'record-photos', false, 52428800, '{image/*,video/mp4,video/quicktime,video/webm}');

create policy record_photos_of_visible_rows on storage.objects for select to authenticated
  using (bucket_id = 'record-photos' and exists (select 1 from public.photos p where p.path = objects.name));
create policy record_photos_of_own_rows on storage.objects for insert to authenticated
  with check (bucket_id = 'record-photos' and exists (
    select 1 from public.photos p where p.path = objects.name and p.created_by = (select auth.uid())));

create function sample.delete_photo_file() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.path like 'northline/%' then
    return null;
  end if;
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects o where o.bucket_id = 'record-photos' and o.name = old.path;
  perform set_config('storage.allow_delete_query', 'false', true);
  return null;
end
$$;
comment on function sample.delete_photo_file() is 'Deletes the object of a photo with its row.';
create trigger delete_file after delete on public.photos for each row
  when (old.path is not null) execute function sample.delete_photo_file();
