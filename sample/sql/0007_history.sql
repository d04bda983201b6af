-- What has a history: what people work on. Answers and photos are written once, and people, regions and templates belong to the office.

select holdfast.track('public.sites');
select holdfast.track('public.assets');
select holdfast.track('public.inspections');
select holdfast.track('public.findings');
select holdfast.track('public.actions');
