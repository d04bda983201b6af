import type { RestCatalog, RestRelation, RestRelationship } from '../src/catalog/catalog.ts'

/** `clients` 1 – n `projects` 1 – n `tasks`, and `tasks` n – n `people` over `task_people`. */
export function smallCatalog(): RestCatalog {
  const relations = [
    relation('clients', { id: 'integer', name: 'text' }),
    relation('projects', { id: 'integer', name: 'text', client_id: 'integer', meta: 'jsonb', document: 'tsvector' }),
    relation('tasks', { id: 'integer', title: 'character varying(20)', project_id: 'integer', done: 'boolean' }),
    relation('people', { id: 'integer', name: 'text' }),
  ]
  const relationships = [
    ...link('projects', 'client_id', 'clients'),
    ...link('tasks', 'project_id', 'projects'),
    through('tasks', 'people'),
    through('people', 'tasks'),
  ]
  return {
    relation: (schema, name) => relations.find((item) => item.schema === schema && item.name === name),
    relationNames: (schema) => relations.filter((item) => item.schema === schema).map(({ name }) => name),
    relationships: (schema, name) => relationships.filter(({ from }) => from.schema === schema && from.name === name),
    routines: () => [],
    routineNames: () => [],
    mediaHandlers: () => [],
    geoJsonFunction: undefined,
  }
}

function relation(name: string, columns: Readonly<Record<string, string>>): RestRelation {
  return {
    schema: 'public',
    name,
    columns: new Map(
      Object.entries(columns).map(([column, type]) => [
        column,
        { name: column, type, baseType: type, defaultSql: column === 'done' ? 'false' : undefined, representation: {} },
      ]),
    ),
    primaryKey: ['id'],
    insertable: true,
    updatable: true,
    deletable: true,
  }
}

function link(child: string, column: string, parent: string): RestRelationship[] {
  const ends = {
    kind: 'key' as const,
    constraint: `${child}_${column}_fkey`,
    junction: undefined,
    toIsView: false,
  }
  const from = { schema: 'public', name: child }
  const to = { schema: 'public', name: parent }
  return [
    { ...ends, cardinality: 'many-to-one', from, to, columns: [{ from: column, to: 'id' }] },
    { ...ends, cardinality: 'one-to-many', from: to, to: from, columns: [{ from: 'id', to: column }] },
  ]
}

function through(from: string, to: string): RestRelationship {
  return {
    kind: 'key',
    toIsView: false,
    cardinality: 'many-to-many',
    constraint: '',
    from: { schema: 'public', name: from },
    to: { schema: 'public', name: to },
    columns: [{ from: 'id', to: `${from}_id` }],
    junction: {
      schema: 'public',
      name: 'task_people',
      constraints: ['a', 'b'],
      columns: [{ from: `${to}_id`, to: 'id' }],
    },
  }
}
