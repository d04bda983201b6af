import fc from 'fast-check'

/** A request as a client could write it on the wire, sense or no sense. */
export interface WildRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'OPTIONS'
  /** Below the prefix of the service, with its query string. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** Relations and functions of `rest-world.ts`; none of them waits or raises what the caller says. */
const RELATIONS = ['clients', 'projects', 'tasks', 'briefs', 'people', 'task_people', 'transfers', 'late', 'secrets']
const ROUTINES = ['add', 'note', 'all_clients', 'one_client', 'pair', 'numbers', 'whole', 'put_client', 'custom_answer']
const COLUMNS = ['id', 'name', 'client_id', 'owner', 'budget', 'tags', 'meta', 'starts', 'done', 'title', 'rank', 'a']

const ARGUMENTS = ['a', 'b', 'text', 'which', 'list', 'new_id']

const OPERATORS = [
  'eq neq gt gte lt lte like ilike match imatch is isdistinct in cs cd ov sl sr nxr nxl adj fts plfts phfts wfts',
  'not and or any all asc desc nullsfirst nullslast inner left sum() count() avg() min() max()',
].flatMap((line) => line.split(' '))

const PUNCTUATION = [
  '.',
  ',',
  '(',
  ')',
  '!',
  '*',
  ':',
  '::',
  '...',
  '->',
  '->>',
  '"',
  "'",
  '\\',
  '{',
  '}',
  '[',
  ']',
  '$',
  '$1',
  ';',
  '--',
  '/*',
  '*/',
  '%',
  '_',
  '=',
  '&',
  '+',
  '~',
  '^',
  '|',
  '@',
  '<',
  '>',
  '\t',
  '\n',
  ' ',
  '\0',
  '\u{1F600}',
  'é',
]

const VALUES = [
  'null',
  'not_null',
  'true',
  'unknown',
  '0',
  '-1',
  '1e400',
  'NaN',
  '9'.repeat(30),
  '1.5',
  '2024-01-05',
  'infinity',
  '{red}',
  '{1,2}',
  '[1,2)',
  '{"a":1}',
  '[1]',
  'text',
  'int',
  'jsonb',
  'nope',
  "x'); select 1; --",
]

const token = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...RELATIONS, ...COLUMNS) },
  { weight: 5, arbitrary: fc.constantFrom(...OPERATORS) },
  { weight: 5, arbitrary: fc.constantFrom(...PUNCTUATION) },
  { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
)

/** Words of the grammar in any order. */
export const tokens = fc.array(token, { maxLength: 10 }).map((parts) => parts.join(''))

/** Nearly right, so that more than the parser is reached. */
const plausibleValue = fc
  .tuple(fc.constantFrom(...OPERATORS), fc.oneof(fc.constantFrom(...VALUES), tokens))
  .map(([operator, value]) => `${operator}.${value}`)

const select = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('*', ...COLUMNS) },
      {
        weight: 4,
        arbitrary: fc.tuple(
          fc.constantFrom('', 'a:', '...', 'not.'),
          fc.constantFrom(...RELATIONS),
          fc.constantFrom('', '!inner', '!left', '!clients', '!nope'),
          fc.constantFrom('*', '', 'id', 'id,name', 'count()', 'clients(*)', 'tasks(id,projects(*))', '...projects(*)'),
        ),
      },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...COLUMNS), token) },
      {
        weight: 2,
        arbitrary: fc.tuple(
          fc.constantFrom(...COLUMNS),
          fc.constantFrom('::text', '::int', '::nope', '.sum()', '.count()', '->a', '->>0', '->a->>b', '::json->a'),
        ),
      },
    ),
    { maxLength: 4 },
  )
  .map((items) =>
    items
      .map((item) => {
        if (typeof item === 'string') return item
        return item.length === 2 ? item.join('') : `${item[0]}${item[1]}${item[2]}(${item[3]})`
      })
      .join(','),
  )

const orderTerm = fc
  .tuple(
    fc.constantFrom(...COLUMNS, 'clients(name)', 'tasks(id)', 'meta->a'),
    fc.constantFrom('', '.asc', '.desc', '.desc.nullslast', '.nullsfirst', '.up'),
  )
  .map((parts) => parts.join(''))

const condition = fc.tuple(fc.constantFrom(...COLUMNS), plausibleValue).map(([name, value]) => `${name}.${value}`)

const tree = fc
  .tuple(fc.array(condition, { maxLength: 3 }), fc.constantFrom('and', 'or', 'not.and', 'not.or', 'nor'), condition)
  .map(([items, operator, inner]) => `(${[...items, `${operator}(${inner})`].join(',')})`)

const pair = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...COLUMNS), plausibleValue) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('select'), select) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('order', 'tasks.order', 'clients.order'), orderTerm) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('and', 'or', 'not.and', 'tasks.or', 'clients.not.or'), tree) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('columns', 'on_conflict'),
      fc.constantFrom('id', 'id,name', 'title', '"id"', ''),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('limit', 'offset', 'tasks.limit', 'clients.offset'),
      fc.constantFrom('0', '1', '-1', '9'.repeat(25), 'x', '1.5', ''),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...ARGUMENTS), fc.oneof(fc.constantFrom(...VALUES), tokens)),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('select', 'order', 'columns', 'on_conflict', 'and', 'or', 'limit', 'offset', ...COLUMNS),
      tokens,
    ),
  },
  { weight: 1, arbitrary: fc.tuple(tokens, fc.oneof(plausibleValue, tokens)) },
)

/** Percent-encoded as it should be, or as it came. */
function written(text: string, encoded: boolean): string {
  if (encoded) return encodeURIComponent(text.toWellFormed())
  return text.replaceAll(/[^\x21-\x7e]|[?#]/g, (character) => encodeURIComponent(character.toWellFormed()))
}

const query = fc
  .array(fc.tuple(pair, fc.boolean()), { maxLength: 4 })
  .map((pairs) =>
    pairs.map(([[name, value], encoded]) => `${written(name, encoded)}=${written(value, encoded)}`).join('&'),
  )

const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...RELATIONS).map((name) => `/${name}`) },
  { weight: 4, arbitrary: fc.constantFrom(...ROUTINES).map((name) => `/rpc/${name}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('/', '/rpc/', '/a/'), tokens, fc.boolean()).map(([start, name, encoded]) => {
      return `${start}${written(name, encoded)}`
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('/', '//', '/rpc', '/rpc/', '/%', '/%zz', '/%00', '/%ff', '/rpc/rpc/rpc') },
)

/** What a header may hold on the wire. */
function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e]/g, '')
}

const preference = fc.oneof(
  fc.constantFrom(
    'return=representation',
    'return=minimal',
    'return=headers-only',
    'count=exact',
    'count=planned',
    'count=estimated',
    'resolution=merge-duplicates',
    'resolution=ignore-duplicates',
    'missing=default',
    'handling=strict',
    'handling=lenient',
    'tx=rollback',
    'tx=commit',
    'max-affected=1',
    'max-affected=x',
    'timezone=Europe/Oslo',
    'timezone=nowhere',
    'params=single-object',
    'return=',
    '=',
  ),
  tokens,
)

const mediaType = fc.oneof(
  fc.constantFrom(
    'application/json',
    'text/csv',
    'application/vnd.pgrst.object+json',
    'application/vnd.pgrst.array+json',
    'application/vnd.pgrst.object+json;nulls=stripped',
    'application/vnd.pgrst.plan+json; options=analyze',
    'application/octet-stream',
    'text/plain',
    'text/xml',
    'application/geo+json',
    '*/*',
    'application/openapi+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'a/b;q=x',
    ';',
    ',',
    '/',
  ),
  tokens,
)

/** Rarely there, so that most requests get past the headers. */
function rarely(arbitrary: fc.Arbitrary<string>, times = 4): fc.Arbitrary<string | undefined> {
  return fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

const headers = fc
  .record({
    prefer: rarely(
      fc.array(preference, { maxLength: 4 }).map((items) => items.join(', ')),
      1,
    ),
    accept: rarely(fc.array(mediaType, { maxLength: 3 }).map((items) => items.join(', '))),
    range: rarely(
      fc.oneof(fc.constantFrom('0-1', '5-', '3-1', '-1', '0-', 'items=0-1', '9999999999999999999-'), tokens),
    ),
    'range-unit': rarely(fc.oneof(fc.constant('items'), tokens)),
    'accept-profile': rarely(fc.oneof(fc.constantFrom('public', 'public', 'auth', 'pg_catalog'), tokens), 12),
    'content-profile': rarely(fc.oneof(fc.constantFrom('public', 'public', 'information_schema'), tokens), 12),
    'content-type': fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      { weight: 2, arbitrary: fc.constant('text/csv') },
      { weight: 1, arbitrary: mediaType },
    ),
    cookie: rarely(tokens),
    'x-anything': rarely(tokens),
  })
  .map((given) =>
    Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, headerText(value)]])),
    ),
  )

const row = fc.dictionary(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...COLUMNS, ...ARGUMENTS) }, { weight: 1, arbitrary: tokens }),
  fc.oneof(fc.constantFrom<unknown>(1, 'x', null, true, '{red}', [1], {}), fc.jsonValue({ maxDepth: 2 })),
  { maxKeys: 4 },
)

const body = fc.oneof(
  row.map((value) => JSON.stringify(value)),
  fc.array(row, { maxLength: 3 }).map((value) => JSON.stringify(value)),
  fc.json({ maxDepth: 4 }),
  fc.array(tokens, { maxLength: 4 }).map((lines) => lines.join('\n')),
  fc.constantFrom('', '{', 'id,title\n1,x', 'id\n"', '{"id":1}{"id":2}', '[{"id":1},2]', `${'['.repeat(5000)}`),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
)

/** Any request at all, most of them nearly right. */
export const wildRequest: fc.Arbitrary<WildRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'),
    path,
    query,
    headers,
    body: fc.option(body, { nil: undefined }),
  })
  .map(({ method, path: address, query: search, headers: given, body: content }) => ({
    method: method as WildRequest['method'],
    url: search === '' ? address : `${address}?${search}`,
    headers: given,
    body: method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? undefined : content,
  }))
