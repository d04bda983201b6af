import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import * as v from 'valibot'
import { sessionOf } from '../lib/data/session-of.ts'
import { owesPassword } from './entry-guards.ts'
import { entryRoutes } from './entry-routes.ts'
import { CrashScreen } from './error-boundary.tsx'
import { NotFoundScreen } from './not-found-screen.tsx'
import { root, type RouterContext, text } from './root-route.ts'
import { UntilMatched } from './until-matched.tsx'

const homeSearch = v.object({})
/**
 * Search parameters of a table: the open record and its tab, the search text, the day of a calendar and the unsaved view settings, one letter each
 * (`lib/views/view-settings.ts`). For a print, also the saved view `v`.
 */
const tableSearch = v.object({
  record: text,
  tab: text,
  q: text,
  f: text,
  s: text,
  g: text,
  h: text,
  k: text,
  w: text,
  a: text,
  c: text,
  z: text,
  r: text,
  l: text,
  d: text,
  m: text,
  p: text,
  o: text,
  on: text,
  v: text,
})
const wordsSearch = v.object({ q: text, table: text })
const importSearch = v.object({ table: text, new: v.optional(v.fallback(v.optional(v.boolean()), undefined)) })
const inboxSearch = v.object({
  filter: v.fallback(v.optional(v.picklist(['unread', 'mentions', 'all'])), undefined),
})
const workSearch = v.object({
  when: v.fallback(v.optional(v.picklist(['overdue', 'today', 'week', 'all'])), undefined),
})
/** `c`: the checklist being edited. */
const checklistsSearch = v.object({ c: text })
const automationSearch = v.object({ example: text })
/** `in`: the workspace, if there are several. */
const peopleSearch = v.object({ in: text })
/** What is chosen in the dashboard's filters, and the tile that fills the page. */
const dashboardSearch = v.object({ f: text, tile: text })
/** Includes the view that the record was opened from, for the steps to its neighbours. */
const recordSearch = v.object({ tab: text, v: text, q: text, f: text, s: text, g: text })
const newRecordSearch = v.object({ template: text, from: text, prefill: text })
export const SYNC_TABS = ['outbox', 'attention', 'files', 'device'] as const
const syncSearch = v.object({ tab: v.fallback(v.optional(v.picklist(SYNC_TABS)), undefined) })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { kind } = await sessionOf(context.backend.client)
    throw redirect({ to: kind === 'signed_out' ? '/sign-in' : '/w', replace: true })
  },
})

/** Routes that need an account on this device. The local database suffices, even without a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await sessionOf(context.backend.client)
    if (owesPassword(session)) throw redirect({ to: '/recover/new-password', replace: true })
    if (session.kind !== 'signed_out') return
    throw redirect({
      to: '/sign-in',
      search: location.pathname === '/w' ? {} : { redirect: location.href },
      replace: true,
    })
  },
  component: lazyRouteComponent(() => import('./shell/signed-in-layout.tsx'), 'SignedInLayout'),
})

const workspaces = createRoute({
  getParentRoute: () => signedIn,
  path: '/w',
  component: lazyRouteComponent(() => import('./to-workspace.tsx'), 'ToWorkspace'),
})
const workspace = createRoute({ getParentRoute: () => signedIn, path: '/w/$ws' })
const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  validateSearch: homeSearch,
  component: lazyRouteComponent(() => import('../features/home/home-screen.tsx'), 'HomeScreen'),
})
const table = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$table',
  validateSearch: tableSearch,
  component: lazyRouteComponent(() => import('./routes/table-route.tsx'), 'TableRoute'),
})
/** A saved view, rendered by the table's screen. */
const view = createRoute({ getParentRoute: () => table, path: '/v/$view' })
const record = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$table/r/$record',
  validateSearch: recordSearch,
  component: lazyRouteComponent(() => import('./routes/record-route.tsx'), 'RecordRoute'),
})
const tableRules = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$table/rules',
  component: lazyRouteComponent(() => import('../features/table-rules/table-rules-screen.tsx'), 'TableRulesScreen'),
})
const checklists = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$table/checklists',
  validateSearch: checklistsSearch,
  component: lazyRouteComponent(() => import('./routes/checklists-route.tsx'), 'ChecklistsRoute'),
})
const print = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$table/print',
  validateSearch: tableSearch,
  component: lazyRouteComponent(() => import('./routes/print-route.tsx'), 'PrintRoute'),
})
const capture = createRoute({
  getParentRoute: () => workspace,
  path: '/capture',
  component: lazyRouteComponent(() => import('./routes/capture-route.tsx'), 'CaptureRoute'),
})
const newRecord = createRoute({
  getParentRoute: () => workspace,
  path: '/t/$table/new',
  validateSearch: newRecordSearch,
  component: lazyRouteComponent(() => import('./routes/capture-route.tsx'), 'NewRecordRoute'),
})
const search = createRoute({
  getParentRoute: () => workspace,
  path: '/search',
  validateSearch: wordsSearch,
  component: lazyRouteComponent(() => import('../features/search/search-screen.tsx'), 'SearchScreen'),
})
const inbox = createRoute({
  getParentRoute: () => workspace,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import('../features/inbox/inbox-screen.tsx'), 'InboxScreen'),
})
const myWork = createRoute({
  getParentRoute: () => workspace,
  path: '/my-work',
  validateSearch: workSearch,
  component: lazyRouteComponent(() => import('../features/home/my-work-screen.tsx'), 'MyWorkScreen'),
})
const people = createRoute({
  getParentRoute: () => workspace,
  path: '/people',
  validateSearch: peopleSearch,
  component: lazyRouteComponent(() => import('../features/people/people-screen.tsx'), 'PeopleScreen'),
})
const dashboard = createRoute({
  getParentRoute: () => workspace,
  path: '/d/$dashboard',
  validateSearch: dashboardSearch,
  component: lazyRouteComponent(() => import('../features/dashboard/dashboard-screen.tsx'), 'DashboardScreen'),
})
const newTable = createRoute({
  getParentRoute: () => workspace,
  path: '/new-table',
  component: lazyRouteComponent(
    () => import('../features/import/new-table/empty-table-screen.tsx'),
    'EmptyTableScreen',
  ),
})
const templates = createRoute({
  getParentRoute: () => workspace,
  path: '/templates',
  component: lazyRouteComponent(() => import('../features/templates/templates-screen.tsx'), 'TemplatesScreen'),
})
const automations = createRoute({
  getParentRoute: () => workspace,
  path: '/automations',
  component: lazyRouteComponent(() => import('../features/automations/screens.ts'), 'AutomationsScreen'),
})
const automation = createRoute({
  getParentRoute: () => workspace,
  path: '/automations/$automation',
  validateSearch: automationSearch,
  component: lazyRouteComponent(() => import('../features/automations/screens.ts'), 'AutomationScreen'),
})
const imports = createRoute({
  getParentRoute: () => workspace,
  path: '/import',
  validateSearch: importSearch,
  component: lazyRouteComponent(() => import('../features/import/import-screen.tsx'), 'ImportScreen'),
})
const sync = createRoute({
  getParentRoute: () => workspace,
  path: '/sync',
  validateSearch: syncSearch,
  component: lazyRouteComponent(() => import('../features/sync-centre/sync-centre-screen.tsx'), 'SyncCentreScreen'),
})
const syncItem = createRoute({
  getParentRoute: () => workspace,
  path: '/sync/$item',
  component: lazyRouteComponent(
    () => import('../features/sync-centre/attention-item-screen.tsx'),
    'AttentionItemScreen',
  ),
})
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('../features/account/account-layout.tsx'), 'AccountLayout'),
})
const profile = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('../features/account/profile-screen.tsx'), 'ProfileScreen'),
})
const security = createRoute({
  getParentRoute: () => account,
  path: '/security',
  component: lazyRouteComponent(() => import('../features/account/security-screen.tsx'), 'SecurityScreen'),
})
const signIns = createRoute({
  getParentRoute: () => account,
  path: '/sign-ins',
  component: lazyRouteComponent(() => import('../features/account/sign-ins-screen.tsx'), 'SignInsScreen'),
})
const identities = createRoute({
  getParentRoute: () => account,
  path: '/identities',
  component: lazyRouteComponent(() => import('../features/account/identities-screen.tsx'), 'IdentitiesScreen'),
})
const notifications = createRoute({
  getParentRoute: () => account,
  path: '/notifications',
  component: lazyRouteComponent(() => import('../features/account/notifications-screen.tsx'), 'NotificationsScreen'),
})
const appearance = createRoute({
  getParentRoute: () => account,
  path: '/appearance',
  component: lazyRouteComponent(() => import('../features/account/appearance-screen.tsx'), 'AppearanceScreen'),
})
const workspaceSettings = createRoute({
  getParentRoute: () => account,
  path: '/workspace',
  component: lazyRouteComponent(() => import('../features/account/workspace-screen.tsx'), 'WorkspaceScreen'),
})
const shortcuts = createRoute({
  getParentRoute: () => account,
  path: '/shortcuts',
  component: lazyRouteComponent(() => import('../features/account/shortcuts-screen.tsx'), 'ShortcutsScreen'),
})

const routeTree = root.addChildren([
  start,
  ...entryRoutes,
  signedIn.addChildren([
    workspaces,
    workspace.addChildren([
      home,
      capture,
      search,
      inbox,
      myWork,
      table.addChildren([view]),
      record,
      newRecord,
      tableRules,
      checklists,
      print,
      people,
      imports,
      dashboard,
      newTable,
      templates,
      automations,
      automation,
      sync,
      syncItem,
    ]),
    account.addChildren([
      profile,
      security,
      signIns,
      identities,
      notifications,
      appearance,
      shortcuts,
      workspaceSettings,
    ]),
  ]),
])

export const router = createRouter({
  routeTree,
  // RouterProvider sets it; no route is matched earlier.
  context: undefined as unknown as RouterContext,
  defaultPreload: 'intent',
  defaultErrorComponent: CrashScreen,
  defaultNotFoundComponent: NotFoundScreen,
  scrollRestoration: true,
  InnerWrap: UntilMatched,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
