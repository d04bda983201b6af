import { sql, type Queryable } from '@holdfast/postgres'
import { CLASS_ORIGIN_DAYS, LEFT_OUT_CLASSES_MAX } from '../limits.ts'
import { classListsOf } from './access-classes.ts'
import type { ActivePlan } from './active-plan.ts'
import type { ClassKey, ClassList } from './class-list.ts'
import { keyPart, readBucketKey } from './bucket-name.ts'

/** The class of a row that was changed or read. */
export interface NewClass {
  readonly definition: number
  readonly classes: ClassList
  readonly name: string
  readonly key: ClassKey
  /** `null`: changed outside the API. `undefined`: read by a backfill. */
  readonly author: string | null | undefined
}

/** Identifies a class within its list, even after its bucket was recreated. */
function originKey(classes: ClassList, key: ClassKey): string {
  return keyPart(key.slice(classes.linked))
}

/**
 * Adds classes to their lists and stores them before their rows become visible: the key values that bucket names do not contain, and the order and authors of
 * new classes.
 */
export async function noteClasses(db: Queryable, added: readonly NewClass[]): Promise<void> {
  if (added.length === 0) return
  const origins = new Map<string, { readonly list: string; readonly key: string; readonly author: string | null }>()
  for (const { classes, name, key, author } of added) {
    const outcome = classes.add(name, key, author ?? null)
    // An omitted class without an author needs no record: whenever the list is full, it is omitted.
    if (author === undefined || (outcome === 'left out' && author === null)) continue
    const origin = { list: classes.id, key: originKey(classes, key), author }
    const id = JSON.stringify([origin.list, origin.key])
    if (!origins.has(id)) origins.set(id, origin)
  }
  await writeOrigins(db, [...origins.values()])
  const untold = added.filter(({ name }) => readBucketKey(name) === undefined)
  if (untold.length === 0) return
  await db.execute(sql`
    insert into sync.classes (name, definition, key)
    select * from unnest(${untold.map(({ name }) => name)}::text[], ${untold.map(({ definition }) => definition)}::int[],
                         ${untold.map(({ key }) => JSON.stringify(key))}::jsonb[])
    on conflict (name) do nothing`)
}

async function writeOrigins(
  db: Queryable,
  origins: readonly { readonly list: string; readonly key: string; readonly author: string | null }[],
): Promise<void> {
  if (origins.length === 0) return
  await db.execute(sql`
    insert into sync.class_origins (list, key, author)
    select list, key, author
      from unnest(${origins.map(({ list }) => list)}::text[], ${origins.map(({ key }) => key)}::text[],
                  ${origins.map(({ author }) => author)}::text[]) with ordinality o (list, key, author, position)
     order by position
    on conflict (list, key) do nothing`)
}

interface LoadedClass {
  readonly definition: number
  readonly name: string
  readonly key: (string | null)[] | null
  readonly author: string | null
  readonly number: string | null
}

/**
 * Loads the classes that have rows into a plan's lists, in the order in which they first appeared, so that recreated buckets keep the same classes.
 * Call while no change is being written to the log.
 */
export async function loadClasses(db: Queryable, active: ActivePlan): Promise<void> {
  const lists = classListsOf(active)
  if (lists.size === 0) return
  const unfilled = unfilledLists(active)
  const { untold, asked } = await listClasses(db, lists, unfilled)
  await writeOrigins(db, untold)
  const complete = [...lists].filter(([, { id }]) => !unfilled.has(id))
  await pruneOrigins(
    db,
    complete,
    [...lists.values()].map(({ id }) => id),
    asked,
  )
}

/** Loads classes like {@link loadClasses} on a server that does not write the log. */
export async function readClassLists(db: Queryable, active: ActivePlan): Promise<void> {
  const lists = classListsOf(active)
  if (lists.size > 0) await listClasses(db, lists, unfilledLists(active))
}

/** Returns ids of lists whose buckets are being filled. During a backfill, the order of rows is arbitrary. */
function unfilledLists(active: ActivePlan): ReadonlySet<string> {
  return new Set(
    [...active.tables.values()].flatMap(({ definitions }) =>
      definitions.flatMap(({ classes, isUnfilled }) => (classes && isUnfilled ? [classes.id] : [])),
    ),
  )
}

interface ListedClasses {
  /** Classes whose order is not stored yet. */
  readonly untold: readonly { readonly list: string; readonly key: string; readonly author: null }[]
  /** Keys of linked lists with rows, by definition. */
  readonly asked: ReadonlyMap<number, ReadonlySet<string>>
}

async function listClasses(
  db: Queryable,
  lists: ReadonlyMap<number, ClassList>,
  unfilled: ReadonlySet<string>,
): Promise<ListedClasses> {
  const loaded = await readClasses(db, lists)
  const linked = await readLinkedOrigins(db, lists)
  const sorted = loaded
    .flatMap(({ name, definition, key, ...origin }) => {
      const classes = lists.get(definition)
      const values = key ?? readBucketKey(name)
      if (!classes || !values) return []
      const known = classes.linked > 0 ? linked.get(classes.id)?.get(originKey(classes, values)) : origin
      const number = Number(known?.number ?? Infinity)
      return [{ classes, definition, name, key: values, number, author: known?.author ?? null }]
    })
    .toSorted((one, other) => (one.number === other.number ? 0 : one.number - other.number))
  const untold: { list: string; key: string; author: null }[] = []
  const asked = new Map<number, Set<string>>()
  for (const { classes, definition, name, key, author, number } of sorted) {
    if (classes.linked > 0) asked.set(definition, (asked.get(definition) ?? new Set()).add(originKey(classes, key)))
    const outcome = classes.add(name, key, author)
    if (number === Infinity && outcome === 'listed' && !unfilled.has(classes.id))
      untold.push({ list: classes.id, key: originKey(classes, key), author: null })
  }
  return { untold, asked }
}

/** Reads classes with rows. For lists without a link, it reads at most as many as can be listed or counted as omitted, in total and per author. */
function readClasses(db: Queryable, lists: ReadonlyMap<number, ClassList>): Promise<readonly LoadedClass[]> {
  const classes = [...lists.values()]
  const most = ({ linked }: ClassList, max: number): number | null =>
    linked === 0 && Number.isFinite(max) ? max + LEFT_OUT_CLASSES_MAX : null
  return db.query<LoadedClass>(sql`
    select c.definition, c.name, k.key, c.author, c.number::text
      from (
        select a.*, row_number() over (partition by a.definition order by a.number nulls last, a.id) as nth
          from (
            select w.definition, w.most, w.most_of_author, b.id, b.name, o.author, o.number,
                   row_number() over (partition by w.definition, o.author order by o.number nulls last, b.id) as nth_of_author
              from unnest(${[...lists.keys()]}::int[], ${classes.map(({ id }) => id)}::text[],
                          ${classes.map((list) => most(list, list.max))}::bigint[],
                          ${classes.map((list) => most(list, list.perAuthorMax))}::bigint[])
                     w (definition, list, most, most_of_author)
              join sync.definitions d on d.number = w.definition
              join sync.buckets b on b.definition = w.definition
              left join sync.class_origins o on o.list = w.list and o.key = substr(b.name, length(d.id) + length(d.tag) + 2)
             where exists (select from sync.ops p where p.bucket_id = b.id and p.row_key is not null)
          ) a
         where a.author is null or a.most_of_author is null or a.nth_of_author <= a.most_of_author
      ) c
      left join sync.classes k on k.name = c.name
     where c.most is null or c.nth <= c.most
     order by c.number nulls last, c.id`)
}

type Origin = Pick<LoadedClass, 'author' | 'number'>

/** Reads the origins of linked lists, by list and key: for them a bucket's name contains more than the class's key. */
async function readLinkedOrigins(
  db: Queryable,
  lists: ReadonlyMap<number, ClassList>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Origin>>> {
  const ids = [...lists.values()].filter(({ linked }) => linked > 0).map(({ id }) => id)
  const found = new Map<string, Map<string, Origin>>()
  if (ids.length === 0) return found
  const rows = await db.query<Origin & { readonly list: string; readonly key: string }>(sql`
    select list, key, author, number::text from sync.class_origins where list = any(${ids}::text[])`)
  for (const { list, key, ...origin } of rows) {
    const keys = found.get(list) ?? new Map<string, Origin>()
    found.set(list, keys.set(key, origin))
  }
  return found
}

/** Deletes classes of complete lists that no longer have rows, and lists that have not been followed for a long time. */
async function pruneOrigins(
  db: Queryable,
  complete: readonly (readonly [definition: number, classes: ClassList])[],
  followed: readonly string[],
  asked: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<void> {
  const plain = complete.filter(([, { linked }]) => linked === 0)
  await db.execute(sql`
    delete from sync.class_origins o
     where o.list = any(${plain.map(([, { id }]) => id)}::text[])
       and not exists (
         select from unnest(${plain.map(([number]) => number)}::int[], ${plain.map(([, { id }]) => id)}::text[]) w (definition, list)
           join sync.definitions d on d.number = w.definition
           join sync.buckets b on b.name = d.id || '.' || d.tag || o.key
          where w.list = o.list and exists (select from sync.ops p where p.bucket_id = b.id and p.row_key is not null))`)
  for (const [id, lists] of Map.groupBy(
    complete.filter(([, { linked }]) => linked > 0),
    ([, classes]) => classes.id,
  )) {
    const keys = new Set(lists.flatMap(([definition]) => [...(asked.get(definition) ?? [])]))
    await db.execute(sql`
      delete from sync.class_origins o
       where o.list = ${id} and not exists (select from unnest(${[...keys]}::text[]) w (key) where w.key = o.key)`)
  }
  await db.execute(sql`
    delete from sync.class_origins
     where list <> all(${followed}::text[]) and noted_at < now() - make_interval(days => ${CLASS_ORIGIN_DAYS})`)
}
