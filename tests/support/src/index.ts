export { openTestDatabase, type TestDatabase, type TestDatabaseOptions } from './open-test-database.ts'
