SET session_replication_role = replica;

--
-- PostgreSQL database dump
--

-- Dumped from database version 17.4
-- Dumped by pg_dump version 17.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: audit_log_entries; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."audit_log_entries" ("instance_id", "id", "payload", "created_at", "ip_address") VALUES
	('00000000-0000-0000-0000-000000000000', '0b7c1c63-6a3f-4a34-b7f4-3d6f6c9d5b11', '{"action":"user_signedup","actor_id":"a5b0c1d2-0000-4000-8000-000000000001","actor_username":"mara@example.com","actor_via_sso":false,"log_type":"team","traits":{"provider":"email"}}', '2025-03-04 09:12:44.103+00', '');

--
-- Data for Name: flow_state; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

--
-- Data for Name: users; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."users" ("instance_id", "id", "aud", "role", "email", "encrypted_password", "email_confirmed_at", "invited_at", "confirmation_token", "confirmation_sent_at", "recovery_token", "recovery_sent_at", "email_change_token_new", "email_change", "email_change_sent_at", "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data", "is_super_admin", "created_at", "updated_at", "phone", "phone_confirmed_at", "phone_change", "phone_change_token", "phone_change_sent_at", "email_change_token_current", "email_change_confirm_status", "banned_until", "reauthentication_token", "reauthentication_sent_at", "is_sso_user", "deleted_at", "is_anonymous") VALUES
	('00000000-0000-0000-0000-000000000000', 'a5b0c1d2-0000-4000-8000-000000000001', 'authenticated', 'authenticated', 'mara@example.com', '$2a$10$cXCjjcq/CbTw7Vb/UjAvyeOKj1DB7Z8MUn.2bFNi6NWKR7W2r1gPy', '2025-03-04 09:12:44.11+00', NULL, '', NULL, '', NULL, '', '', NULL, '2025-11-02 07:01:10.5+00', '{"provider": "email", "providers": ["email", "google"]}', '{"name": "Mara", "email_verified": true}', NULL, '2025-03-04 09:12:44.09+00', '2025-11-02 07:01:10.6+00', NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false),
	('00000000-0000-0000-0000-000000000000', 'a5b0c1d2-0000-4000-8000-000000000002', 'authenticated', 'authenticated', 'lin@example.com', '$2a$10$cXCjjcq/CbTw7Vb/UjAvyeOKj1DB7Z8MUn.2bFNi6NWKR7W2r1gPy', NULL, NULL, 'd48ba8866b852ca2fa210da765036d3d6498fb54aeb95a7bb5d93417', '2025-11-02 08:00:00+00', '', NULL, '', '', NULL, NULL, '{"provider": "email", "providers": ["email"]}', '{}', NULL, '2025-11-02 08:00:00+00', '2025-11-02 08:00:00+00', NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false),
	('00000000-0000-0000-0000-000000000000', 'a5b0c1d2-0000-4000-8000-000000000003', 'authenticated', 'authenticated', NULL, '$2a$10$cXCjjcq/CbTw7Vb/UjAvyeOKj1DB7Z8MUn.2bFNi6NWKR7W2r1gPy', NULL, NULL, '', NULL, '', NULL, '', '', NULL, '2025-11-02 07:30:00+00', '{"provider": "phone", "providers": ["phone"]}', '{}', NULL, '2025-10-01 10:00:00+00', '2025-11-02 07:30:00+00', '491701234567', '2025-10-01 10:00:00+00', '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false),
	('00000000-0000-0000-0000-000000000000', 'a5b0c1d2-0000-4000-8000-000000000004', 'authenticated', 'authenticated', 'banned@example.com', '$2a$10$cXCjjcq/CbTw7Vb/UjAvyeOKj1DB7Z8MUn.2bFNi6NWKR7W2r1gPy', '2025-03-04 09:12:44.11+00', NULL, '', NULL, '', NULL, '', '', NULL, NULL, '{"provider": "email", "providers": ["email"]}', '{}', NULL, '2025-03-04 09:12:44+00', '2025-03-04 09:12:44+00', NULL, NULL, '', '', NULL, '', 0, '2999-01-01 00:00:00+00', '', NULL, false, NULL, false),
	('00000000-0000-0000-0000-000000000000', 'a5b0c1d2-0000-4000-8000-000000000005', 'authenticated', 'authenticated', 'SZ6wZbYc2xg8SyrN0xKIN3oCh0lAOFCfoA2V9pvH7ZQ', '', '2025-03-04 09:12:44.11+00', NULL, '', NULL, '', NULL, '', '', NULL, NULL, '{}', '{}', NULL, '2025-03-04 09:12:44+00', '2025-06-04 09:12:44+00', NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, '2025-06-04 09:12:44+00', false);

--
-- Data for Name: identities; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."identities" ("provider_id", "user_id", "identity_data", "provider", "last_sign_in_at", "created_at", "updated_at", "id") VALUES
	('a5b0c1d2-0000-4000-8000-000000000001', 'a5b0c1d2-0000-4000-8000-000000000001', '{"sub": "a5b0c1d2-0000-4000-8000-000000000001", "email": "mara@example.com", "email_verified": true, "phone_verified": false}', 'email', '2025-03-04 09:12:44.1+00', '2025-03-04 09:12:44.1+00', '2025-03-04 09:12:44.1+00', 'c0000000-0000-4000-8000-000000000001'),
	('107391823456789012345', 'a5b0c1d2-0000-4000-8000-000000000001', '{"iss": "https://accounts.google.com", "sub": "107391823456789012345", "name": "Mara", "email": "mara@example.com", "email_verified": true, "provider_id": "107391823456789012345", "phone_verified": false}', 'google', '2025-04-01 09:00:00+00', '2025-04-01 09:00:00+00', '2025-04-01 09:00:00+00', 'c0000000-0000-4000-8000-000000000002'),
	('a5b0c1d2-0000-4000-8000-000000000002', 'a5b0c1d2-0000-4000-8000-000000000002', '{"sub": "a5b0c1d2-0000-4000-8000-000000000002", "email": "lin@example.com", "email_verified": false, "phone_verified": false}', 'email', '2025-11-02 08:00:00+00', '2025-11-02 08:00:00+00', '2025-11-02 08:00:00+00', 'c0000000-0000-4000-8000-000000000003'),
	('a5b0c1d2-0000-4000-8000-000000000003', 'a5b0c1d2-0000-4000-8000-000000000003', '{"sub": "a5b0c1d2-0000-4000-8000-000000000003", "phone": "491701234567", "email_verified": false, "phone_verified": true}', 'phone', '2025-10-01 10:00:00+00', '2025-10-01 10:00:00+00', '2025-10-01 10:00:00+00', 'c0000000-0000-4000-8000-000000000004'),
	('a5b0c1d2-0000-4000-8000-000000000004', 'a5b0c1d2-0000-4000-8000-000000000004', '{"sub": "a5b0c1d2-0000-4000-8000-000000000004", "email": "banned@example.com", "email_verified": true, "phone_verified": false}', 'email', '2025-03-04 09:12:44+00', '2025-03-04 09:12:44+00', '2025-03-04 09:12:44+00', 'c0000000-0000-4000-8000-000000000005');

--
-- Data for Name: instances; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

--
-- Data for Name: oauth_clients; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

--
-- Data for Name: sessions; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."sessions" ("id", "user_id", "created_at", "updated_at", "factor_id", "aal", "not_after", "refreshed_at", "user_agent", "ip", "tag", "oauth_client_id", "refresh_token_hmac_key", "refresh_token_counter", "scopes") VALUES
	('a5b0c1d2-0000-4000-8000-0000000000a1', 'a5b0c1d2-0000-4000-8000-000000000001', '2025-11-01 07:01:10+00', '2025-11-02 07:01:10+00', NULL, 'aal1', NULL, '2025-11-02 07:01:10', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', '203.0.113.9', NULL, NULL, NULL, NULL, NULL),
	('a5b0c1d2-0000-4000-8000-000000000003', 'a5b0c1d2-0000-4000-8000-000000000003', '2025-11-02 07:30:00+00', '2025-11-02 07:30:00+00', NULL, 'aal1', NULL, NULL, 'okhttp/4.12.0', '203.0.113.10', NULL, NULL, 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc', 12, NULL);

--
-- Data for Name: mfa_amr_claims; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."mfa_amr_claims" ("session_id", "created_at", "updated_at", "authentication_method", "id") VALUES
	('a5b0c1d2-0000-4000-8000-0000000000a1', '2025-11-01 07:01:10+00', '2025-11-01 07:01:10+00', 'password', 'd0000000-0000-4000-8000-000000000001'),
	('a5b0c1d2-0000-4000-8000-000000000003', '2025-11-02 07:30:00+00', '2025-11-02 07:30:00+00', 'otp', 'd0000000-0000-4000-8000-000000000002');

--
-- Data for Name: mfa_factors; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."mfa_factors" ("id", "user_id", "friendly_name", "factor_type", "status", "created_at", "updated_at", "secret", "phone", "last_challenged_at", "web_authn_credential", "web_authn_aaguid", "last_webauthn_challenge_data") VALUES
	('e0000000-0000-4000-8000-000000000001', 'a5b0c1d2-0000-4000-8000-000000000001', 'Phone', 'totp', 'verified', '2025-05-01 10:00:00+00', '2025-05-01 10:01:00+00', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', NULL, '2025-11-02 07:01:00+00', NULL, NULL, NULL);

--
-- Data for Name: mfa_challenges; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

--
-- Data for Name: one_time_tokens; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."one_time_tokens" ("id", "user_id", "token_type", "token_hash", "relates_to", "created_at", "updated_at") VALUES
	('f0000000-0000-4000-8000-000000000001', 'a5b0c1d2-0000-4000-8000-000000000002', 'confirmation_token', 'd48ba8866b852ca2fa210da765036d3d6498fb54aeb95a7bb5d93417', 'lin@example.com', '2025-11-02 08:00:00', '2025-11-02 08:00:00');

--
-- Data for Name: refresh_tokens; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

INSERT INTO "auth"."refresh_tokens" ("instance_id", "id", "token", "user_id", "revoked", "created_at", "updated_at", "parent", "session_id") VALUES
	('00000000-0000-0000-0000-000000000000', 41, 'k7mzn3kvqx2a', 'a5b0c1d2-0000-4000-8000-000000000001', true, '2025-11-01 07:01:10+00', '2025-11-02 07:01:10+00', NULL, 'a5b0c1d2-0000-4000-8000-0000000000a1'),
	('00000000-0000-0000-0000-000000000000', 42, 'vw5p2hq4rt6y', 'a5b0c1d2-0000-4000-8000-000000000001', false, '2025-11-02 07:01:10+00', '2025-11-02 07:01:10+00', 'k7mzn3kvqx2a', 'a5b0c1d2-0000-4000-8000-0000000000a1');

--
-- Data for Name: sso_providers; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO "public"."notes" ("id", "owner", "body") VALUES
	(1, 'a5b0c1d2-0000-4000-8000-000000000001', 'written at Supabase');

--
-- Name: refresh_tokens_id_seq; Type: SEQUENCE SET; Schema: auth; Owner: supabase_auth_admin
--

SELECT pg_catalog.setval('"auth"."refresh_tokens_id_seq"', 42, true);

--
-- PostgreSQL database dump complete
--

RESET ALL;
