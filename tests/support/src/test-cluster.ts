/** How the test files learn where the run's Postgres is. */
export const ADMIN_URL_VARIABLE = 'HOLDFAST_TEST_ADMIN_URL'
export const PROJECT_URL_VARIABLE = 'HOLDFAST_TEST_PROJECT_URL'
export const REQUEST_URL_VARIABLE = 'HOLDFAST_TEST_REQUEST_URL'

export const TEMPLATE_DATABASE = 'holdfast_template'

/** The same server and user, another database. */
export function withDatabase(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}
