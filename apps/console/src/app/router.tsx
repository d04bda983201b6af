import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { OverviewScreen } from '../screens/overview/overview-screen.tsx'
import { NotFound } from './not-found.tsx'
import { ScreenFailed } from './screen-failed.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: ScreenFailed })
const screen = { getParentRoute: () => root }

/** Search parameters of lists, so that a filtered list has an address. */
function textsOf<Name extends string>(names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { readonly [K in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [])),
    ) as { readonly [K in Name]?: string }
}

const overview = createRoute({ ...screen, path: '/', component: OverviewScreen })
const users = createRoute({
  ...screen,
  path: '/users',
  validateSearch: textsOf(['search', 'state']),
  component: lazyRouteComponent(() => import('../screens/users/users-screen.tsx'), 'UsersScreen'),
})
const user = createRoute({
  ...screen,
  path: '/users/$id',
  component: lazyRouteComponent(() => import('../screens/users/user-screen.tsx'), 'UserScreen'),
})
const devices = createRoute({
  ...screen,
  path: '/devices',
  validateSearch: textsOf(['search', 'state']),
  component: lazyRouteComponent(() => import('../screens/devices/devices-screen.tsx'), 'DevicesScreen'),
})
const device = createRoute({
  ...screen,
  path: '/devices/$user/$device',
  component: lazyRouteComponent(() => import('../screens/devices/device-screen.tsx'), 'DeviceScreen'),
})
const functions = createRoute({
  ...screen,
  path: '/functions',
  component: lazyRouteComponent(() => import('../screens/functions/functions-screen.tsx'), 'FunctionsScreen'),
})
const functionDetails = createRoute({
  ...screen,
  path: '/functions/$name',
  component: lazyRouteComponent(() => import('../screens/functions/function-screen.tsx'), 'FunctionScreen'),
})
const logs = createRoute({
  ...screen,
  path: '/logs',
  validateSearch: textsOf(['text', 'user', 'request', 'service', 'level', 'status', 'hours']),
  component: lazyRouteComponent(() => import('../screens/logs/logs-screen.tsx'), 'LogsScreen'),
})
const jobs = createRoute({
  ...screen,
  path: '/jobs',
  validateSearch: textsOf(['tab']),
  component: lazyRouteComponent(() => import('../screens/jobs/jobs-screen.tsx'), 'JobsScreen'),
})
const job = createRoute({
  ...screen,
  path: '/jobs/$id',
  component: lazyRouteComponent(() => import('../screens/jobs/job-screen.tsx'), 'JobScreen'),
})
const queue = createRoute({
  ...screen,
  path: '/jobs/queues/$name',
  component: lazyRouteComponent(() => import('../screens/jobs/queue-screen.tsx'), 'QueueScreen'),
})
const advisors = createRoute({
  ...screen,
  path: '/advisors',
  validateSearch: textsOf(['category']),
  component: lazyRouteComponent(() => import('../screens/advisors/advisors-screen.tsx'), 'AdvisorsScreen'),
})
const tables = createRoute({
  ...screen,
  path: '/tables',
  validateSearch: textsOf(['schema', 'table', 'tab']),
  component: lazyRouteComponent(() => import('../screens/tables/tables-screen.tsx'), 'TablesScreen'),
})
const relations = createRoute({
  ...screen,
  path: '/tables/relations',
  validateSearch: textsOf(['schema', 'search']),
  component: lazyRouteComponent(() => import('../screens/relations/relations-screen.tsx'), 'RelationsScreen'),
})
const policies = createRoute({
  ...screen,
  path: '/policies',
  validateSearch: textsOf(['schema', 'table', 'tab', 'user']),
  component: lazyRouteComponent(() => import('../screens/policies/policies-screen.tsx'), 'PoliciesScreen'),
})
const files = createRoute({
  ...screen,
  path: '/files',
  validateSearch: textsOf(['bucket', 'folder', 'file', 'tab']),
  component: lazyRouteComponent(() => import('../screens/files/files-screen.tsx'), 'FilesScreen'),
})
const preview = createRoute({
  ...screen,
  path: '/policies/preview',
  component: lazyRouteComponent(() => import('../screens/policies/preview-screen.tsx'), 'PreviewScreen'),
})
const realtime = createRoute({
  ...screen,
  path: '/realtime',
  validateSearch: textsOf(['search']),
  component: lazyRouteComponent(() => import('../screens/realtime/realtime-screen.tsx'), 'RealtimeScreen'),
})
const channel = createRoute({
  ...screen,
  path: '/realtime/channel',
  validateSearch: textsOf(['topic', 'access']),
  component: lazyRouteComponent(() => import('../screens/realtime/channel-screen.tsx'), 'ChannelScreen'),
})
const operators = createRoute({
  ...screen,
  path: '/operators',
  component: lazyRouteComponent(() => import('../screens/operators/operators-screen.tsx'), 'OperatorsScreen'),
})
const audit = createRoute({
  ...screen,
  path: '/audit',
  validateSearch: textsOf(['operator', 'action', 'target']),
  component: lazyRouteComponent(() => import('../screens/audit/audit-screen.tsx'), 'AuditScreen'),
})
const sql = createRoute({
  ...screen,
  path: '/sql',
  component: lazyRouteComponent(() => import('../screens/sql/sql-screen.tsx'), 'SqlScreen'),
})
const settings = createRoute({
  ...screen,
  path: '/settings',
  validateSearch: textsOf(['tab', 'search', 'group', 'origin']),
  component: lazyRouteComponent(() => import('../screens/settings/settings-screen.tsx'), 'SettingsScreen'),
})
const account = createRoute({
  ...screen,
  path: '/account',
  component: lazyRouteComponent(() => import('../screens/account/account-screen.tsx'), 'AccountScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    tables,
    relations,
    policies,
    preview,
    users,
    user,
    devices,
    device,
    functions,
    functionDetails,
    files,
    realtime,
    channel,
    logs,
    jobs,
    job,
    queue,
    advisors,
    sql,
    operators,
    audit,
    settings,
    account,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router
  }
}
