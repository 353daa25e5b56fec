-- Workers elsewhere reach the site alone: they have no accounts in Postgres any more. What earlier
-- versions made for them goes: policies, rights, roles, functions, and the table of accounts. A
-- role belongs to the whole server, so what the grid's user may not do about one is a warning.

DO $do$
DECLARE
  each record;
BEGIN
  -- Policies first: they name the functions, and those name the table.
  FOR each IN
    SELECT schemaname, tablename, policyname FROM pg_policies
    WHERE (schemaname = 'public' AND policyname IN ('own_device', 'same_device', 'own_row',
        'claim_and_end', 'drop_cancelled', 'of_held_run', 'by_content'))
      OR (schemaname = 'bullmq' AND policyname = 'own_queue')
  LOOP
    EXECUTE format('DROP POLICY %I ON %I.%I', each.policyname, each.schemaname, each.tablename);
    EXECUTE format('ALTER TABLE %I.%I DISABLE ROW LEVEL SECURITY', each.schemaname, each.tablename);
  END LOOP;

  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tilemark_worker') THEN
    RETURN;
  END IF;

  -- Without policies the rights would reach every row, so they end whether or not the roles can be
  -- dropped. Only who gave them can take them, which is who runs this.
  REVOKE ALL ON ALL TABLES IN SCHEMA public FROM tilemark_worker;
  REVOKE ALL ON SCHEMA public FROM tilemark_worker;
  IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'bullmq') THEN
    REVOKE ALL ON ALL TABLES IN SCHEMA bullmq FROM tilemark_worker;
    REVOKE ALL ON ALL SEQUENCES IN SCHEMA bullmq FROM tilemark_worker;
    REVOKE ALL ON SCHEMA bullmq FROM tilemark_worker;
  END IF;

  FOR each IN
    SELECT "login" FROM "Enrolment" JOIN pg_roles ON rolname = "login"
  LOOP
    BEGIN
      IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        -- Only a member of a role may end its sessions and drop what it owns.
        EXECUTE format('GRANT %I TO CURRENT_USER', each.login);
      END IF;
      EXECUTE format('ALTER ROLE %I NOLOGIN', each.login);
      PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = each.login;
      EXECUTE format('DROP OWNED BY %I', each.login);
      EXECUTE format('DROP ROLE %I', each.login);
    EXCEPTION WHEN OTHERS THEN
      RAISE WARNING 'The role % of a worker has no rights any more but is still there (%). To drop it, run as an administrator: DROP ROLE "%"',
        each.login, SQLERRM, each.login;
    END;
  END LOOP;

  BEGIN
    -- Another grid on this server may still use the group.
    IF NOT EXISTS (SELECT FROM pg_auth_members WHERE roleid = 'tilemark_worker'::regrole) THEN
      DROP ROLE tilemark_worker;
    END IF;
  EXCEPTION WHEN OTHERS THEN
    RAISE WARNING 'The role tilemark_worker is no longer needed but is still there (%). To drop it, run as an administrator: DROP ROLE tilemark_worker',
      SQLERRM;
  END;
END $do$;

DROP FUNCTION own_device_key();
DROP FUNCTION own_worker_id();
DROP TABLE "Enrolment";
