-- Rows of definitions whose policies compare a column with the clock, and when that comparison may give another result: they are evaluated again then. Written
-- with the operations of the log, so that what is here is about the rows as the log has them.
create table sync.moments (
  definition integer not null references sync.definitions (number) on delete cascade,
  -- As in sync.ops.
  row_key bytea not null,
  -- The values of the table's key, as texts.
  key text[] not null,
  at timestamptz not null,
  primary key (definition, row_key)
);
create index moments_at on sync.moments (at);
revoke all on sync.moments from public;

-- These tell when the clock gets somewhere, on the safe side: a moment too many costs one evaluation of a row. None earlier than `after` is given, and NULL when
-- there is none.

create function sync.is_steady(moment timestamptz, margin interval) returns boolean
  language sql stable
  set search_path = pg_catalog, pg_temp
  return extract(timezone from moment - margin) = extract(timezone from moment + margin);
comment on function sync.is_steady(timestamptz, interval) is 'Whether the session''s time zone has one offset around a moment.';

create function sync.next_moment(at timestamptz, shift interval, is_plain boolean, after timestamptz) returns timestamptz
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  months integer;
  days integer;
  base timestamptz;
  margin interval;
  first timestamptz;
  last timestamptz;
begin
  if at is null or shift is null or not isfinite(shift) or at <= '-infinity' or at < '4000-01-01 BC' or at > '200000-01-01' then
    return null;
  end if;
  months := extract(year from shift) * 12 + extract(month from shift);
  days := extract(day from shift);
  if abs(months) > 60000 or abs(days) > 1800000 then
    return null;
  end if;
  -- now() + shift adds months first, then days, then what is left.
  base := at - (shift - make_interval(months => months, days => days)) - make_interval(days => days) - make_interval(months => months);
  if is_plain and months = 0 and days = 0 then
    return case when base >= after then base end;
  end if;
  margin := case when months <> 0 then interval '6 days' when days <> 0 then interval '27 hours' else interval '3 hours' end;
  first := base - margin;
  last := base + margin;
  if after > last then
    return null;
  end if;
  if sync.is_steady(base, margin) and sync.is_steady(at, interval '27 hours') and sync.is_steady(base + make_interval(months => months), interval '6 days') then
    if months = 0 then
      return case when base >= after then base end;
    end if;
    -- The ends of months: at the same time of some day, or at a midnight.
    if after < first then
      return first;
    end if;
    return least(
      last,
      base + make_interval(days => ceil(extract(epoch from after - base) / 86400)::integer),
      case when date_trunc('day', after) = after then after else date_trunc('day', after + interval '1 day') end
    );
  end if;
  -- The hour changes: offsets are multiples of 15 minutes.
  if after < first then
    return first;
  end if;
  return least(
    last,
    base + make_interval(mins => 15 * ceil(extract(epoch from after - base) / 900)::integer),
    date_bin(interval '15 minutes', after, '2000-01-01 00:00+00') + interval '15 minutes'
  );
end
$$;
comment on function sync.next_moment(timestamptz, interval, boolean, timestamptz) is 'When now() + shift may come to be another side of a moment.';

create function sync.next_day(day date, margin integer, after timestamptz) returns timestamptz
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  midnight timestamptz;
  found timestamptz;
begin
  if day is null or not isfinite(day) or day < '4000-01-01 BC' or day > '200000-01-01' then
    return null;
  end if;
  for number in -margin .. margin + 1 loop
    midnight := (day + number)::timestamptz;
    if sync.is_steady(midnight, interval '3 hours') then
      if midnight >= after then
        return midnight;
      end if;
    elsif midnight + interval '3 hours' >= after then
      for step in -6 .. 6 loop
        found := midnight + step * interval '30 minutes';
        if found >= after then
          return found;
        end if;
      end loop;
    end if;
  end loop;
  return null;
end
$$;
comment on function sync.next_day(date, integer, timestamptz) is 'When the date may come to be, or no longer to be, a day, give or take some.';

create function sync.next_age(at timestamptz, age interval, after timestamptz) returns timestamptz
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  months integer;
  days integer;
  found timestamptz;
begin
  if at is null or age is null or not isfinite(age) or not isfinite(at) or at < '4000-01-01 BC' or at > '200000-01-01' then
    return null;
  end if;
  months := extract(year from age) * 12 + extract(month from age);
  days := extract(day from age);
  if abs(months) > 60000 or abs(days) > 1800000 then
    return null;
  end if;
  -- Intervals are compared with months of 30 days, and days of 24 hours.
  found := at + (age - make_interval(months => months, days => days)) + make_interval(hours => (months * 30 + days) * 24);
  return case when found >= after then found end;
end
$$;
comment on function sync.next_age(timestamptz, interval, timestamptz) is 'When now() - at may come to be another side of an age.';

revoke all on function sync.is_steady(timestamptz, interval), sync.next_moment(timestamptz, interval, boolean, timestamptz),
  sync.next_day(date, integer, timestamptz), sync.next_age(timestamptz, interval, timestamptz) from public;
grant execute on function sync.is_steady(timestamptz, interval), sync.next_moment(timestamptz, interval, boolean, timestamptz),
  sync.next_day(date, integer, timestamptz), sync.next_age(timestamptz, interval, timestamptz) to holdfast_evaluator, holdfast_reader;
