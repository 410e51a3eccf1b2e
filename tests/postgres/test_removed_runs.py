"""What is left of traces that are gone, and measures of an earlier version."""

from uuid import uuid4

import pytest
from psycopg import Connection, errors, sql

from server.adapters.postgres.statements import statement
from tests.postgres.test_access import Row, a_person, signed_in
from traces.gate.run_history import VERSION


def count(owner: Connection[Row]) -> int:
    row = owner.execute("select count(*) from removed_runs").fetchone()
    assert row is not None
    return int(str(row[0]))


def test_a_trace_that_goes_leaves_its_labels_to_members_alone(owner: Connection[Row]) -> None:
    one, other = a_person(owner), a_person(owner)
    owner.execute(
        "update traces set labels = '{\"branch\": \"main\"}', program = 'engine' where id = %s", [one.trace_id]
    )
    owner.execute("delete from traces where id = %s", [one.trace_id])
    with signed_in(owner, "authenticated", one.user_id) as api:
        rows = api.execute("select trace_id::text, program, labels from removed_runs").fetchall()
        assert rows == [(one.trace_id, "engine", {"branch": "main"})]
        with pytest.raises(errors.InsufficientPrivilege), api.transaction():
            api.execute("delete from removed_runs")
    with signed_in(owner, "authenticated", other.user_id) as api:
        assert api.execute("select * from removed_runs").fetchall() == []


def test_an_account_that_goes_leaves_nothing(owner: Connection[Row]) -> None:
    person = a_person(owner)
    owner.execute("delete from traces where id = %s", [person.trace_id])
    insert = sql.SQL(
        "insert into traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path) "
        "values (%s, %s, %s, 't', repeat('a', 64), 1, 'pprof', 'count', 'x')"
    )
    owner.execute(insert, [str(uuid4()), person.account_id, person.user_id])
    assert count(owner) == 1
    owner.execute("delete from accounts where id = %s", [person.account_id])
    assert count(owner) == 0


def test_a_year_later_it_is_forgotten(owner: Connection[Row]) -> None:
    person = a_person(owner)
    owner.execute(
        "insert into removed_runs (trace_id, account_id, labels, created_at, removed_at) "
        "values (gen_random_uuid(), %s, '{}', now(), now() - interval '366 days')",
        [person.account_id],
    )
    owner.execute("delete from traces where id = %s", [person.trace_id])
    rows = owner.execute("select trace_id::text from removed_runs").fetchall()
    assert rows == [(person.trace_id,)]


def test_what_an_earlier_version_measured_is_measured_anew(owner: Connection[Row]) -> None:
    person = a_person(owner)
    asked = {"limit": 5, "without": [], "version": VERSION}
    assert owner.execute(statement("unmeasured_anywhere"), asked).fetchall() != []
    owner.execute("update trace_measures set version = %s where trace_id = %s", [VERSION, person.trace_id])
    assert owner.execute(statement("unmeasured_anywhere"), asked).fetchall() == []
