"""What the generated client reads of a server over the demo collection. One argument: its address."""

import sys

import pragaura_client

client = pragaura_client.DefaultApi(
    pragaura_client.ApiClient(pragaura_client.Configuration(host=sys.argv[1]))
)

question = "Up to which wind speed may technicians climb a mast?"
decision = client.decide(pragaura_client.QueryInput(query=question))
assert decision.action == "ANSWER", decision.action
assert decision.answer.text == "10 metres per second", decision.answer.text
assert decision.answer.quotes[0].text == decision.answer.text
assert 0 <= decision.signals.d <= 1 and 0 <= decision.u <= decision.tau
assert decision.receipt.spent.docs_scored <= decision.receipt.budget.docs_scored

silence = client.decide(pragaura_client.QueryInput(query="Who won the football world cup in 1998?"))
assert silence.action == "ABSTAIN" and silence.answer is None
assert silence.abstention.message != ""

assert [each.name for each in client.list_collections().collections] == ["demo"]
assert client.get_activity("demo").decisions == 2
assert len(client.list_documents("demo").documents) > 5

try:
    client.decide(pragaura_client.QueryInput(query=question), collection="none")
    raise AssertionError("a collection that there is not")
except pragaura_client.exceptions.NotFoundException as problem:
    assert problem.data.code == "NOT_FOUND", problem.body

print("The generated client in Python reads answers, silence, documents, activity and problems.")
